/**
 * The HTML of a mail, in a frame where no script runs. The policy of the page holds in it too, so nothing is loaded from
 * elsewhere; styles that stand in attributes are set one by one, for the policy refuses them as they are.
 */
import { useEffect, useRef } from 'react'

const KEPT = 'data-style'

export function MailBody({ html, title }: { readonly html: string; readonly title: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const inside = frame.current?.contentDocument
    if (!inside) return
    // The service cleans the HTML: in an attribute there is neither < nor >.
    const renamed = html.replaceAll(/(<[a-z][^<>]*\s)style="/gi, `$1${KEPT}="`)
    const read = new DOMParser().parseFromString(renamed, 'text/html')
    inside.body.replaceChildren(...[...read.body.childNodes].map((node) => inside.importNode(node, true)))
    for (const element of inside.querySelectorAll<HTMLElement>(`[${KEPT}]`))
      element.style.cssText = element.getAttribute(KEPT) ?? ''
    inside.documentElement.style.colorScheme = 'light'
    inside.body.style.fontFamily = 'sans-serif'
  }, [html])
  return <iframe ref={frame} sandbox="allow-same-origin" title={title} className="mail-body" />
}
