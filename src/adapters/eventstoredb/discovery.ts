/**
 * Finds the node that leads a cluster. All nodes are asked at once, so that one that does not answer costs nothing, and the
 * node that they name has to say itself that it leads: for some seconds others go on naming a node that is gone.
 */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import gossip, { type ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js'
import shared, { type Empty } from '@eventstore/db-client/generated/shared_pb.js'
import { Client, credentials } from '@grpc/grpc-js'
import type { Address, Node } from './address.ts'
import { openChannel } from './channel.ts'

const GOSSIP = '/event_store.client.gossip.Gossip/Read'

/**
 * @param failed the leader that has just failed: it is taken again only when no other node says that it leads
 * @throws Error when no node says that it leads, in all the rounds that the address allows
 */
export async function findLeader(address: Address, closed: AbortSignal, failed?: Node): Promise<Node> {
  const { attempts, pause } = address.discovery
  for (let attempt = 1; ; attempt++) {
    try {
      return await round(address, failed)
    } catch (error) {
      if (attempt >= attempts || closed.aborted)
        throw new Error('no node of the event store says that it is the leader', { cause: error })
    }
    await sleep(pause)
  }
}

async function round(address: Address, failed: Node | undefined): Promise<Node> {
  const nodes = (await Promise.all(address.nodes.map((node) => addressesOf(address, node)))).flat()
  const named = nodes.map(async ({ node, certified }) => {
    const leader = await ask(address, node, certified)
    if (!isSame(leader, await ask(address, leader))) throw new Error('the node named does not say so itself')
    return leader
  })
  const others = named.map(async (leader) => {
    if (failed && isSame(await leader, failed)) throw new Error('it has just failed')
    return await leader
  })
  return await Promise.any(others).catch(() => Promise.any(named))
}

/** A name may stand for all nodes of a cluster: each of its addresses is asked. */
async function addressesOf(
  { discovery }: Address,
  node: Node,
): Promise<readonly { readonly node: Node; readonly certified?: string }[]> {
  const { host, port } = node
  if (host.startsWith('[') || isIP(host) !== 0) return [{ node }]
  const timedOut = sleep(discovery.timeout, [], { ref: false })
  const found = await Promise.race([lookup(host, { all: true }), timedOut]).catch(() => [])
  if (found.length < 2) return [{ node }]
  return found.map(({ address }) => ({ node: nodeAt(address, port), certified: host }))
}

const nodeAt = (host: string, port: number): Node => ({ host: isIP(host) === 6 ? `[${host}]` : host, port })

const isSame = (one: Node, other: Node): boolean => one.host === other.host && one.port === other.port

/** The leader that the node names. */
async function ask(address: Address, node: Node, certified?: string): Promise<Node> {
  const client = new Client('', credentials.createInsecure(), {
    channelOverride: openChannel(address, node, certified),
  })
  try {
    const info = await new Promise<ClusterInfo>((resolve, reject) => {
      client.makeUnaryRequest(
        GOSSIP,
        (request: Empty) => Buffer.from(request.serializeBinary()),
        (bytes) => gossip.ClusterInfo.deserializeBinary(bytes),
        new shared.Empty(),
        { deadline: Date.now() + address.discovery.timeout },
        (error, answer) => (answer ? resolve(answer) : reject(error ?? new Error('no answer'))),
      )
    })
    for (const member of info.getMembersList()) {
      const place = member.getHttpEndPoint()
      if (member.getIsAlive() && member.getState() === gossip.MemberInfo.VNodeState.LEADER && place)
        return nodeAt(place.getAddress(), place.getPort())
    }
    throw new Error('it knows of no leader')
  } finally {
    client.close()
  }
}
