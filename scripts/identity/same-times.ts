/**
 * Whether some causes can be told apart by the times that they take. Times are measured in rounds, one of each cause in each
 * round, so that what disturbs a round disturbs all causes.
 *
 * If the causes are alike, the times of a round could as well be those of any other order of causes. So the times of every
 * round are shuffled, many times over, and the largest difference between causes that chance makes of them is compared with
 * the one that was found: an exact test (Fisher, Pitman), of all causes and measures together. The measures are the mean rank
 * within the round (Friedman's; for two causes that of Wilcoxon, Mann and Whitney) and quantiles.
 */

export interface Comparison {
  /** For each measure: the largest distance of a cause from the mean of all, and how far it goes by chance. */
  readonly measures: readonly Measure[]
  readonly alike: boolean
}

export interface Measure {
  readonly name: string
  /** Index of the cause that is farthest from the others. */
  readonly cause: number
  readonly distance: number
  /** What one in a hundred times (of all measures together) chance exceeds. */
  readonly bound: number
  /** How often chance comes as far. */
  readonly p: number
}

const QUANTILES = [0.1, 0.5, 0.9]
/** Of all measures together, how often alike causes are held for different. */
const ERROR = 0.01

export interface CompareOptions {
  readonly shuffles: number
  /** 0 to 1, 1 excluded. */
  readonly random: () => number
}

/** @param rounds times in ms, in each round those of all causes, in the same order */
export function compareTimes(
  rounds: readonly (readonly number[])[],
  { shuffles, random }: CompareOptions,
): Comparison {
  const causes = rounds[0]?.length ?? 0
  const ranks = rounds.map(ranksOf)
  const measuresOf = (orders: readonly Uint16Array[]): { cause: number; distance: number }[] => {
    const meanRanks = Array.from({ length: causes }, (_, cause) =>
      meanOf(rounds.map((_times, round) => ranks[round]![orders[round]![cause]!]!)),
    )
    const sorted = Array.from({ length: causes }, (_, cause) =>
      Float64Array.from(rounds, (times, round) => times[orders[round]![cause]!]!).sort(),
    )
    const quantiles = QUANTILES.map((share) =>
      sorted.map((times) => times[Math.floor(share * times.length)]!),
    )
    return [meanRanks, ...quantiles].map(farthest)
  }

  const found = measuresOf(rounds.map(() => Uint16Array.from({ length: causes }, (_, i) => i)))
  const byChance = found.map(() => new Float64Array(shuffles))
  for (let i = 0; i < shuffles; i++)
    measuresOf(rounds.map(() => shuffled(causes, random))).forEach(
      ({ distance }, measure) => (byChance[measure]![i] = distance),
    )
  const share = ERROR / found.length
  const measures = found.map(({ cause, distance }, index): Measure => {
    const chance = byChance[index]!.sort()
    const asFar = chance.filter((one) => one >= distance).length
    return {
      name: index === 0 ? 'mean rank' : `${QUANTILES[index - 1]! * 100} % quantile`,
      cause,
      distance,
      bound: chance[Math.min(shuffles - 1, Math.floor((1 - share) * shuffles))]!,
      p: (asFar + 1) / (shuffles + 1),
    }
  })
  return { measures, alike: measures.every(({ p }) => p > share) }
}

/** From 1; equal times share the mean of their ranks. */
function ranksOf(times: readonly number[]): number[] {
  return times.map((time) => {
    const below = times.filter((one) => one < time).length
    const equal = times.filter((one) => one === time).length
    return below + (equal + 1) / 2
  })
}

function farthest(values: readonly number[]): { cause: number; distance: number } {
  const middle = meanOf(values)
  const distances = values.map((value) => Math.abs(value - middle))
  const distance = Math.max(...distances)
  return { cause: distances.indexOf(distance), distance }
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Fisher and Yates. */
function shuffled(length: number, random: () => number): Uint16Array {
  const order = Uint16Array.from({ length }, (_, i) => i)
  for (let i = length - 1; i > 0; i--) {
    const other = Math.floor(random() * (i + 1))
    const one = order[i]!
    order[i] = order[other]!
    order[other] = one
  }
  return order
}
