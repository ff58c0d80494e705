/** Waits until the warehouse has what was written: a test is going to open its files. */
import { expect } from 'chai'
import { eventually } from '../../system/support/eventually.ts'
import type { Answer, Client } from '../../support/service.ts'

export function warehouseHas(client: Client, written: Answer): Promise<void> {
  const position = written.headers.get('Daybook-Position') ?? ''
  return eventually('the warehouse has it', async () => {
    const { status, text } = await client.get('warehouse', { 'Daybook-At-Least': position })
    expect(status, text).to.equal(200)
  })
}
