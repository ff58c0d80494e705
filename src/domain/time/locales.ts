/** Locales: a language and, where customs differ, a country. */

/** Whether the text is a locale such as `en` or `de-AT`, in the form that is stored. */
export function isLocale(text: string): boolean {
  return /^[a-z]{2,3}(-[A-Z]{2})?$/.test(text) && Intl.DateTimeFormat.supportedLocalesOf(text).length > 0
}
