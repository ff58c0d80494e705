/**
 * How much of what is random or repeated a run has: few rounds every day, all of them in `npm run prove`, which sets
 * `FULL_ROUNDS=1`. Each promise is tested in both.
 */
export const rounds = (few: number, all: number): number => (process.env['FULL_ROUNDS'] === '1' ? all : few)
