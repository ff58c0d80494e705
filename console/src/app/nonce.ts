/** The nonce of this page's policy: what may add a style element carries it. */
export const nonce = document.querySelector<HTMLElement>('meta[property=csp-nonce]')?.nonce ?? ''
