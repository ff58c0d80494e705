/** Moments between inputs of the browser, which know local times only, and the API, which takes UTC. */

/** As an input of the type `datetime-local` takes it. */
export function localMoment(iso: string): string {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

/** As the API takes it; undefined for no moment. */
export function utcMoment(local: string): string | undefined {
  const date = new Date(local)
  return Number.isNaN(date.getTime()) ? undefined : `${date.toISOString().slice(0, 19)}Z`
}
