/** What the service itself measures of its event loop (`/metrics`): how long whatever was due had to wait. */
export interface LoopDelay {
  readonly p99: number
  readonly max: number
}

/** Since the last look, in ms. */
export async function loopDelay(url: string): Promise<LoopDelay> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const value = (quantile: string) =>
    Number(
      new RegExp(`^daybook_event_loop_delay_seconds\\{quantile="${quantile}"\\} (\\S+)$`, 'm').exec(
        text,
      )?.[1],
    ) * 1_000
  // The sampler itself looks every 10 ms, which is part of what it says.
  return { p99: value('0.99'), max: value('1') }
}

/** Resident memory of the service, in MB. */
export async function residentMegabytes(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / 1_048_576
}
