/** `ServerFeatures/GetSupportedMethods`: the package's own client asks for it before its first append. */
import type { Empty } from '@eventstore/db-client/generated/shared_pb.js'
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js'
import type { handleUnaryCall } from '@grpc/grpc-js'
import { features, streamsService } from './generated.ts'

export function featuresCall(): handleUnaryCall<Empty, SupportedMethods> {
  return (_call, answer) => {
    const supported = new features.SupportedMethods().setEventStoreServerVersion('23.10.6.0')
    for (const { path } of Object.values(streamsService) as { path: string }[]) {
      const [, service = '', method = ''] = path.split('/')
      supported.addMethods(
        new features.SupportedMethod().setServiceName(service).setMethodName(method.toLowerCase()),
      )
    }
    answer(null, supported)
  }
}
