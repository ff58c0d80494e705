/** How a person adds a filter to a list. */
import type { Page } from 'playwright-core'

/** `field` and `comparison` as they are shown. */
export async function addFilter(page: Page, field: string, comparison: string, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Add filter' }).click()
  const editor = page.getByRole('dialog', { name: 'Add filter' })
  await editor.getByLabel('Field').selectOption({ label: field })
  await editor.getByLabel('Comparison').selectOption({ label: comparison })
  await editor.getByLabel('Value').fill(value)
  await editor.getByRole('button', { name: 'Apply' }).click()
}
