/**
 * The service as a process of its own that logs all that it can, with a receiver that it may send to: for stories that end
 * with a look through everything that it has said.
 */
import { rmSync } from 'node:fs'
import { newFolder, TOKEN, type HeaderValues } from '../../support/service.ts'
import { startReceiver, type Receiver } from '../../webhooks/receiver.ts'
import { startMain, type MainProcess } from './main-process.ts'

export interface TalkativeMain {
  readonly main: MainProcess
  readonly receiver: Receiver
  discard(): Promise<void>
}

export async function talkativeMain(settings: HeaderValues = {}): Promise<TalkativeMain> {
  const folder = newFolder()
  const receiver = await startReceiver()
  const main = await startMain({
    DATA_DIR: folder,
    LOG_LEVEL: 'trace',
    BOOTSTRAP_TOKEN: TOKEN,
    WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8',
    ...settings,
  })
  return {
    main,
    receiver,
    async discard() {
      await main.end('SIGKILL')
      await receiver.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
