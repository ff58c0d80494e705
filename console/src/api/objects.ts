/** The objects as the signed-in person sees them. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Field, ObjectSeen } from './object-seen.ts'
import { request } from './request.ts'

export type { Field, ObjectSeen } from './object-seen.ts'

export interface Seen {
  readonly Objects: readonly ObjectSeen[]
  /** What may be done that belongs to no object. */
  readonly Actions: readonly string[]
}

export const objectsQuery = queryOptions({
  queryKey: ['objects'],
  queryFn: async () => (await request<Seen>('objects')).data,
  staleTime: 5 * 60_000,
})

export function useSeen(): Seen | undefined {
  return useQuery(objectsQuery).data
}

const STANDARD: Omit<Field, 'Name' | 'Type'> = {
  Description: null,
  Required: false,
  ReadOnly: true,
  Unique: false,
  Searchable: false,
  Personal: false,
  Unit: null,
  Minimum: null,
  Maximum: null,
  MaxLength: null,
  Choices: null,
  Strict: false,
  Target: null,
  Default: null,
}

/** The fields of the definition, and those that every record has. */
export function allFields({ Fields }: ObjectSeen): readonly Field[] {
  return [
    ...Fields,
    { ...STANDARD, Name: 'CreatedAt', Type: 'timestamp' },
    { ...STANDARD, Name: 'ModifiedAt', Type: 'timestamp' },
    { ...STANDARD, Name: 'Id', Type: 'text' },
  ]
}

export function fieldOf(object: ObjectSeen, name: string): Field | undefined {
  return allFields(object).find((field) => field.Name === name)
}

export function mayDo({ Actions }: ObjectSeen, action: string): boolean {
  return Actions.includes(action)
}
