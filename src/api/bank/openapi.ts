/** What OpenAPI says of matching lines of bank accounts. */
import type { ObjectDefinition } from '../../domain/definition.ts'
import { BANK_LINE } from '../../imports/bank/bank-file.ts'
import { chosenBody, chosenItem } from '../../imports/bank/matches/chosen.ts'
import { BANK_ACCOUNT } from '../../imports/bank/run/accounts.ts'
import { described } from '../openapi/described.ts'
import { reference, type Operation, type Parameter, type PathItem, type Schema } from '../openapi/document.ts'
import { errors } from '../openapi/error-responses.ts'
import { json, success } from '../openapi/wrappers.ts'

const money: Schema = {
  type: ['object', 'null'],
  description: '{Amount, Currency}.',
  additionalProperties: true,
}
const text: Schema = { type: ['string', 'null'] }
const closed = (properties: { readonly [name: string]: Schema }): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const items = (schema: Schema, description: string): Schema => ({ type: 'array', items: schema, description })

const standing = closed({
  Id: { type: 'string' },
  Status: { type: 'string', enum: ['Unmatched', 'Proposed', 'PartlyMatched', 'Matched', 'Ignored'] },
  MatchRule: text,
  MatchedAmount: money,
  Matches: items(
    closed({
      Kind: { type: 'string', enum: ['received', 'made', 'returned'] },
      Payment: { type: 'string' },
      Invoice: text,
      Amount: { type: 'number' },
    }),
    'What it was matched with.',
  ),
  Proposals: items(
    closed({
      Rule: { type: 'string' },
      IsCertain: {
        type: 'boolean',
        description: 'It would be matched without asking, where the account allows it.',
      },
      As: text,
      Payments: items(described(chosenItem), 'To be sent to match as they are.'),
      Returns: text,
    }),
    'What it may be for, with the rule that found it.',
  ),
})

const writing = [reference('parameters', 'IdempotencyKey'), reference('parameters', 'Reason')]

const answered = (description: string, schema: Schema): Operation['responses'] => ({
  200: { description, content: json(success(schema)) },
  ...errors(404, 409, 413, 415),
})

/** Paths of bank transactions and bank accounts; none of other objects. */
export function bankPaths(
  { object, name }: ObjectDefinition,
  key: Parameter,
): { readonly [path: string]: PathItem } {
  const parameters = [key, ...writing]
  if (object === BANK_ACCOUNT) return accountPaths(name, parameters)
  if (object !== BANK_LINE) return {}
  const path = `/api/v1/${BANK_LINE}/{key}`
  const post = (operationId: string, summary: string, description: string): Operation => ({
    tags: [name],
    operationId,
    summary,
    description,
    parameters,
    responses: answered('How the line stands.', standing),
  })
  return {
    [`${path}/matches`]: {
      get: {
        tags: [name],
        operationId: 'getBankTransactionMatches',
        summary: 'Get what a line is for, or may be for',
        parameters: [key],
        responses: {
          200: { description: 'How the line stands.', content: json(success(standing)) },
          ...errors(404),
        },
      },
    },
    [`${path}/match`]: {
      post: {
        ...post(
          'matchBankTransaction',
          'Match a line by hand',
          'Expected payments are received, others are made; their invoices are paid, in full or in part. It takes the actions receive and pay.',
        ),
        requestBody: {
          required: true,
          content: json(described(chosenBody), {
            Payments: [{ Invoice: 'invoice-01jc3y4v5e8z9k2m7q6r5t4w3x', Amount: 40 }],
          }),
        },
      },
    },
    [`${path}/unmatch`]: {
      post: post(
        'unmatchBankTransaction',
        'Take a match back',
        'Payments and invoices become what they were; 409 when one has moved on since.',
      ),
    },
    [`${path}/ignore`]: {
      post: post(
        'ignoreBankTransaction',
        'Leave a line alone',
        'It is for no payment; unmatch takes that back.',
      ),
    },
  }
}

function accountPaths(
  name: string,
  parameters: NonNullable<Operation['parameters']>,
): { readonly [path: string]: PathItem } {
  return {
    [`/api/v1/${BANK_ACCOUNT}/{key}/rematch`]: {
      post: {
        tags: [name],
        operationId: 'rematchBankAccount',
        summary: 'Match the lines of an account again',
        description: 'What is certain is matched, as the account allows it; the rest is proposed.',
        parameters,
        responses: answered(
          'What came of it.',
          closed({
            Lines: { type: 'integer' },
            Matched: { type: 'integer' },
            Proposed: { type: 'integer' },
          }),
        ),
      },
    },
  }
}
