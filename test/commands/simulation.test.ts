/**
 * The write side in a world where stores fail, stall and lose answers and processes die, all decided by a seed
 * (quality R12). `SIMULATION_SEED=17 npx mocha test/commands/simulation.test.ts` tells the one story that failed.
 */
import { expect } from 'chai'
import { checkStory } from './simulation/check-story.ts'
import { tellStory } from './simulation/tell-story.ts'

const SEEDS = process.env['SIMULATION_SEED']
  ? [Number(process.env['SIMULATION_SEED'])]
  : Array.from({ length: 500 }, (_, index) => index + 1)

describe('the write side, simulated', () => {
  it('loses no acknowledged write, does none twice, and keeps numbers, unique values and lookups whole', async () => {
    const seen = { done: 0, refused: 0, unanswered: 0, deaths: 0 }
    for (const seed of SEEDS) {
      const told = await tellStory(seed)
        .then(checkStory)
        .catch((error: Error) => {
          throw new Error(`seed ${seed}: ${error.message}`, { cause: error })
        })
      for (const { answer } of told.requests)
        seen[answer === undefined ? 'unanswered' : answer === 'refused' ? 'refused' : 'done']++
      seen.deaths += told.deaths
    }
    // A simulation in which nothing goes wrong, or nothing goes well, would show nothing.
    if (SEEDS.length > 1)
      for (const [what, count] of Object.entries(seen)) expect(count, what).to.be.greaterThan(SEEDS.length)
  }).timeout(60_000)

  it('tells the same story for the same seed', async () => {
    const storyOf = async (seed: number) =>
      (await tellStory(seed)).log
        .all()
        .map(({ stream, version, type, data, metadata }) => [stream, version, type, data, metadata])
    for (const seed of [1, 2, 3, 4]) expect(await storyOf(seed)).to.deep.equal(await storyOf(seed))
    expect(await storyOf(1)).to.not.deep.equal(await storyOf(3))
  })
})
