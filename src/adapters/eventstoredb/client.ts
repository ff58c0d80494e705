/**
 * The client of one node: its channel, opened with the first call, and the calls that go over it.
 *
 * Of @eventstore/db-client only the generated messages of the protocol are used. Its own client decodes events at a third
 * of the speed, asks one host of several, keeps pending appends in a table that all clients share, and cannot verify a
 * certificate for an IP address.
 */
import streams, {
  type BatchAppendReq,
  type BatchAppendResp,
  type ReadReq,
} from '@eventstore/db-client/generated/streams_pb.js'
import { Client, type ClientReadableStream, credentials, Metadata } from '@grpc/grpc-js'
import type { Address, Node } from './address.ts'
import { type AppendCall, appendCall } from './append-call.ts'
import { openChannel } from './channel.ts'
import { findLeader } from './discovery.ts'
import { decodeAnswer, type ReadAnswer } from './read-answers.ts'

const SERVICE = '/event_store.client.streams.Streams'

export type Reading = ClientReadableStream<ReadAnswer>

export interface OpenClient {
  /** Where its calls go; undefined as long as that is being found out. */
  readonly node: () => Node | undefined
  /** Opens a read or a subscription, which only the leader answers. @throws Error when no leader is found */
  readonly read: (options: ReadReq.Options) => Promise<Reading>
  readonly appends: AppendCall
  /** Lets what is under way finish and takes no more. */
  readonly close: () => void
}

/**
 * @param to the node to use; unless given, the one of the address, or the leader of the cluster
 * @param failed the leader that has just failed
 */
export function openClient(
  address: Address,
  { to, failed }: { readonly to?: Node | undefined; readonly failed?: Node | undefined } = {},
): OpenClient {
  const closed = new AbortController()
  const metadata = new Metadata()
  metadata.set('connection-name', address.connectionName)
  metadata.set('requires-leader', 'true')
  if (address.authorization !== undefined) metadata.set('authorization', address.authorization)
  let node = to ?? (address.discovers ? undefined : address.nodes[0])
  let opening: Promise<Client> | undefined
  let client: Client | undefined

  async function open(): Promise<Client> {
    node ??= await findLeader(address, closed.signal, failed)
    client = new Client('', credentials.createInsecure(), { channelOverride: openChannel(address, node) })
    if (closed.signal.aborted) client.close()
    return client
  }

  const opened = () => (opening ??= open())

  return {
    node: () => node,
    async read(options) {
      return (await opened()).makeServerStreamRequest(
        `${SERVICE}/Read`,
        encodeRead,
        decodeAnswer,
        new streams.ReadReq().setOptions(options),
        metadata,
      )
    },
    appends: appendCall({
      open: async () =>
        (await opened()).makeBidiStreamRequest(
          `${SERVICE}/BatchAppend`,
          encodeAppend,
          decodeAppended,
          metadata,
        ),
    }),
    close() {
      closed.abort()
      client?.close()
    },
  }
}

const encodeRead = (request: ReadReq): Buffer => Buffer.from(request.serializeBinary())
const encodeAppend = (request: BatchAppendReq): Buffer => Buffer.from(request.serializeBinary())
const decodeAppended = (bytes: Buffer): BatchAppendResp => streams.BatchAppendResp.deserializeBinary(bytes)
