/**
 * The service on stores in memory, in a world where they fail, stall, lose answers and deliver twice, and processes die, all
 * decided by a seed: writes, the projections that show them, and the outbox of what is sent.
 * `SIMULATION_SEED=17 npx mocha test/commands/simulation.test.ts` tells the one story that failed, `SIMULATION_SEEDS=500` so
 * many stories.
 */
import { expect } from 'chai'
import { COMPANY } from '../support/write-side.ts'
import { checkStory } from './simulation/check-story.ts'
import { tellStory } from './simulation/tell-story.ts'

const SEEDS = process.env['SIMULATION_SEED']
  ? [Number(process.env['SIMULATION_SEED'])]
  : Array.from({ length: Number(process.env['SIMULATION_SEEDS'] ?? 50) }, (_, index) => index + 1)

describe('the service, simulated', () => {
  it('loses no acknowledged write, does none twice, and keeps numbers, unique values and lookups whole, shows it all, and sends it once to whoever had asked', async () => {
    const seen = { done: 0, refused: 0, unanswered: 0, deaths: 0, parked: 0, troubles: 0, sent: 0 }
    for (const seed of SEEDS) {
      const told = await tellStory(seed)
        .then(checkStory)
        .catch((error: Error) => {
          throw new Error(`seed ${seed}: ${error.message}`, { cause: error })
        })
      for (const { answer } of told.requests)
        seen[answer === undefined ? 'unanswered' : answer === 'refused' ? 'refused' : 'done']++
      seen.deaths += told.deaths
      seen.parked += told.parked
      seen.troubles += told.troubles
      seen.sent += told.outbox.sent.size
    }
    // A simulation in which nothing goes wrong, or nothing goes well, would show nothing.
    if (SEEDS.length > 1)
      for (const [what, count] of Object.entries(seen)) expect(count, what).to.be.greaterThan(SEEDS.length)
  }).timeout(180_000)

  it('tells the same story for the same seed', async () => {
    const storyOf = async (seed: number) => {
      const { log, models, outbox, deaths, parked, troubles } = await tellStory(seed)
      const events = log
        .all()
        // Sealed by chance, otherwise each time.
        .map(({ stream, version, type, data: { Sealed: _, ...data }, metadata }) => [
          stream,
          version,
          type,
          data,
          metadata,
        ])
      const sent = [...outbox.sent]
      return { events, shown: [...models.copy(COMPANY)], sent, deaths, parked, troubles }
    }
    for (const seed of [1, 2, 3, 4]) expect(await storyOf(seed)).to.deep.equal(await storyOf(seed))
    expect(await storyOf(1)).to.not.deep.equal(await storyOf(3))
  })
})
