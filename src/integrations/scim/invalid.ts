/** What is wrong with a SCIM request, with the name that RFC 7644 (3.12) has for it. */
import { Invalid } from '../../domain/errors.ts'

export type ScimType =
  'invalidFilter' | 'invalidSyntax' | 'invalidPath' | 'noTarget' | 'invalidValue' | 'mutability'

export class ScimInvalid extends Invalid {
  readonly scimType: ScimType
  constructor(scimType: ScimType, message: string) {
    super(message)
    this.scimType = scimType
  }
}
