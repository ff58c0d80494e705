/** The script of a form: it answers the challenge while the form is filled in. A form without it is looked at by a person first. */

/** @param challenge of letters, digits, dots and hyphens: it needs no escaping */
export function formScript(challenge: string, bits: number): string {
  return `(() => {
  const challenge = '${challenge}'
  const bits = ${bits}
  const form = document.currentScript.closest('form')
  if (!form || !crypto.subtle) return
  const put = (name, value) => {
    const input = document.createElement('input')
    Object.assign(input, { type: 'hidden', name, value })
    form.append(input)
  }
  const work = async () => {
    for (let answer = 0; ; answer++) {
      const bytes = new TextEncoder().encode(challenge + '.' + answer)
      const digest = new DataView(await crypto.subtle.digest('SHA-256', bytes))
      if (digest.getUint32(0) >>> (32 - bits) === 0) return String(answer)
    }
  }
  work().then((answer) => {
    put('daybook-challenge', challenge)
    put('daybook-answer', answer)
  })
})()
`
}
