import type { ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type { Endpoint } from './node.js';
import { features, gossip, shared, StreamsService } from './protocol.js';

/** A cluster node as reported by gossip. */
export type Member = Endpoint & { readonly id: string; readonly state: 'leader' | 'follower'; readonly alive: boolean };

export function toClusterInfo(members: readonly Member[]): ClusterInfo {
  const { FOLLOWER, LEADER } = gossip.MemberInfo.VNodeState;
  const infos = members.map(({ id, host, port, state, alive }) =>
    new gossip.MemberInfo()
      .setInstanceId(new shared.UUID().setString(id))
      .setTimeStamp(String(Date.now() * 10_000))
      .setState(state === 'leader' ? LEADER : FOLLOWER)
      .setIsAlive(alive)
      .setHttpEndPoint(new gossip.EndPoint().setAddress(host).setPort(port)),
  );
  return new gossip.ClusterInfo().setMembersList(infos);
}

/**
 * Builds the response to the client's first request to a server. The client appends in batches only if the response
 * lists BatchAppend.
 */
export function toSupportedMethods(version: string, batchAppend: boolean): SupportedMethods {
  const answer = new features.SupportedMethods().setEventStoreServerVersion(version);
  for (const { path } of Object.values(StreamsService)) {
    const [, service = '', method = ''] = path.toLowerCase().split('/');
    if (method === 'batchappend' && !batchAppend) continue;
    const supported = new features.SupportedMethod().setServiceName(service).setMethodName(method);
    if (method === 'read') supported.setFeaturesList(['position', 'events']);
    answer.addMethods(supported);
  }
  return answer;
}
