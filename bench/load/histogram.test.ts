import { expect } from 'chai'
import fc from 'fast-check'
import { latencyHistogram } from './histogram.ts'

describe('a histogram of latencies', () => {
  it('has no percentile before anything was recorded', () => {
    expect(latencyHistogram().percentile(0.5)).to.equal(0)
  })

  it('tells the only latency for every share', () => {
    const latencies = latencyHistogram()
    latencies.record(0.25)
    for (const share of [0, 0.5, 1]) expect(latencies.percentile(share)).to.be.closeTo(0.25, 0.001)
  })

  it('counts what takes longer than a minute as a minute', () => {
    const latencies = latencyHistogram()
    latencies.record(3_600_000)
    expect(latencies.percentile(1)).to.be.closeTo(60_000, 120)
  })

  it('is within 0.2 % or 1 µs of the percentile of the latencies themselves', () => {
    const latency = fc.double({ min: 0, max: 60_000, noNaN: true })
    fc.assert(
      fc.property(
        fc.array(latency, { minLength: 1, maxLength: 200 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (all, share) => {
          const latencies = latencyHistogram()
          all.forEach((one) => latencies.record(one))
          const exact = [...all].sort((a, b) => a - b)[Math.max(0, Math.ceil(all.length * share) - 1)]!
          expect(latencies.count).to.equal(all.length)
          expect(latencies.percentile(share)).to.be.closeTo(exact, Math.max(0.001, exact * 0.002))
        },
      ),
    )
  })
})
