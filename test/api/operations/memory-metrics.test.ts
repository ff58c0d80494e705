/** Memory that the process has taken, and pages of files, told apart. */
import { expect } from 'chai'
import { Registry } from 'prom-client'
import { measureMemory, memoryIn } from '../../../src/api/operations/memory-metrics.ts'

describe('memory in metrics', () => {
  it('is told apart by what it is', () => {
    const status =
      'Name:\tnode\nVmRSS:\t  300000 kB\nRssAnon:\t  200000 kB\nRssFile:\t   99999 kB\nRssShmem:\t       1 kB\n'
    expect(memoryIn(status)).to.deep.equal({ anonymous: 204_800_000, file: 102_398_976, shared: 1_024 })
  })

  it('is left out where the system does not say', () => {
    expect(memoryIn('')).to.equal(undefined)
    expect(memoryIn('RssAnon:\t  200000 kB\n')).to.equal(undefined)
  })

  it('is that of this process', async function () {
    if (process.platform !== 'linux') this.skip()
    const registry = new Registry()
    measureMemory(registry)
    const { values } = await registry.getSingleMetric('daybook_memory_bytes')!.get()
    const of = (kind: string) => values.find(({ labels }) => labels['kind'] === kind)!.value
    expect(of('anonymous')).to.be.within(1e6, process.memoryUsage.rss())
    expect(of('file')).to.be.greaterThan(0)
  })
})
