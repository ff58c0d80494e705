/** How far the demo is: a bar on a terminal, a line for every step elsewhere. */

export interface Progress {
  /** Begins a step of so many parts. */
  begin(title: string, parts: number): void
  /** So many more parts are done. */
  advance(parts: number): void
  /** Ends the last step. */
  end(): void
}

export interface Screen {
  readonly isTTY?: boolean
  write(text: string): unknown
}

const WIDTH = 30
const TITLE = 34

export function progress(screen: Screen): Progress {
  let title = ''
  let parts = 0
  let done = 0
  let drawn = ''

  const draw = () => {
    const share = parts === 0 ? 1 : done / parts
    const bar = '█'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '░')
    const line = `${title.padEnd(TITLE)} ${bar} ${count(done)} of ${count(parts)}`
    if (line !== drawn) screen.write(`\r\x1b[2K${line}`)
    drawn = line
  }
  const finish = () => {
    if (title === '') return
    screen.write(screen.isTTY ? '\n' : `${title}: ${count(done)}\n`)
    title = ''
  }

  return {
    begin(next, size) {
      finish()
      ;[title, parts, done, drawn] = [next, size, 0, '']
      if (screen.isTTY) draw()
    },
    advance(more) {
      done += more
      if (screen.isTTY) draw()
    },
    end: finish,
  }
}

export function count(value: number): string {
  return value.toLocaleString('en')
}
