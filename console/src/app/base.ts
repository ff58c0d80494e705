/** Where the console and the API are: below `/console` and `/api/v1` of this origin, and of a proxy's path if there is one. */
const found = /^(.*?\/console)(?:\/|$)/.exec(window.location.pathname)

/** The path of the console, without a slash at its end. */
export const CONSOLE = found?.[1] ?? '/console'
/** The path of the API, without a slash at its end. */
export const API = `${CONSOLE.replace(/\/console$/, '')}/api/v1`
