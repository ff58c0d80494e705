/** A page that can only be used by its keys: what can be asked of it is what has the focus, and what there is to read. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'

export interface Keys {
  press(key: string): Promise<void>
  type(text: string): Promise<void>
  /** Goes on by Tab until this has the focus: a control by its name. */
  tabTo(name: string | RegExp): Promise<void>
  /** Waits until there is a text to read. */
  read(text: string | RegExp): Promise<void>
  /** Waits until the palette, a dialog or a field has the keyboard. */
  inField(): Promise<void>
  /** The text of what shows a secret once. */
  secret(): Promise<string>
}

/** What a screen reader would call what has the focus. */
const FOCUSED = `(() => {
  const at = document.activeElement
  if (!at || at === document.body) return ''
  const by = at.getAttribute('aria-labelledby')
  const named = by && by.split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ')
  return (at.getAttribute('aria-label') ?? named ?? at.labels?.[0]?.textContent ?? at.textContent ?? '').trim()
})()`
const MOST_TABS = 80

export function keysOnly(page: Page): Keys {
  return {
    press: (key) => page.keyboard.press(key),
    type: (text) => page.keyboard.type(text),
    async tabTo(name) {
      const seen: string[] = []
      for (let tabs = 0; tabs < MOST_TABS; tabs++) {
        const at = await page.evaluate<string>(FOCUSED)
        if (typeof name === 'string' ? at === name : name.test(at)) return
        seen.push(at)
        await page.keyboard.press('Tab')
      }
      expect.fail(`Tab never came to ${String(name)}, but to: ${seen.join(' | ')}`)
    },
    read: (text) => page.getByText(text).first().waitFor(),
    inField: () => page.locator('input:focus').waitFor(),
    secret: async () => (await page.getByTestId('secret').textContent()) ?? '',
  }
}
