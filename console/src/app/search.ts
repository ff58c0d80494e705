/** Search parameters of a page, as text: the address is the state. */
export type Search = Readonly<Record<string, string | undefined>>
