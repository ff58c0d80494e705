/** A message for people that may be long, since it quotes a file: to the end of a word, with a mark where it goes on. */
export function shortened(message: string, most: number): string {
  if (message.length <= most) return message
  const start = message.slice(0, most)
  const words = /^.*\S(?=\s)/s.exec(start)?.[0] ?? start.toWellFormed()
  return `${words} …`
}
