/** `Gossip/Read`: which nodes there are and which of them leads, as this one sees it. */
import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js'
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js'
import type { handleUnaryCall } from '@grpc/grpc-js'
import type { FaultSwitches } from './faults.ts'
import { gossip } from './generated.ts'

const { LEADER, FOLLOWER, UNKNOWN } = gossip.MemberInfo.VNodeState

/** @param port of this peer, known when it listens */
export function gossipCall(switches: FaultSwitches, port: () => number): handleUnaryCall<Empty, ClusterInfo> {
  return (_call, answer) => {
    void switches.answering().then(() => {
      const leader = switches.leader()
      const own = switches.isLost() ? UNKNOWN : leader === undefined ? LEADER : FOLLOWER
      const info = new gossip.ClusterInfo()
      info.addMembers(member(port(), own))
      if (leader !== undefined) info.addMembers(member(leader, LEADER))
      answer(null, info)
    })
  }
}

type State = typeof LEADER | typeof FOLLOWER | typeof UNKNOWN

const member = (port: number, state: State) =>
  new gossip.MemberInfo()
    .setState(state)
    .setIsAlive(true)
    .setHttpEndPoint(new gossip.EndPoint().setAddress('127.0.0.1').setPort(port))
