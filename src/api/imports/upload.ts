/**
 * `POST /{object}/import`: the file as the body, or as `file` of a form with `options` before it. It is kept while it arrives and
 * never held in memory; the answer is an import that goes on by itself.
 */
import { Busboy, type BusboyFileStream } from '@fastify/busboy'
import { Router, type Request, type RequestHandler } from 'express'
import type { Idempotency } from '../../commands/support/idempotency.ts'
import type { Definitions } from '../../domain/definition.ts'
import { Invalid, invalid, TooLarge } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import { isObject, type Fields, type Json } from '../../domain/json.ts'
import { readBankChoices } from '../../imports/bank/bank-file.ts'
import { LINE_MAPPING } from '../../imports/bank/run/line-mapping.ts'
import { BANK_STATEMENT } from '../../imports/bank/run/statement-plan.ts'
import { readMapping } from '../../imports/mapping/check-mapping.ts'
import type { Mapping } from '../../imports/mapping/mapping.ts'
import type { Imports } from '../../imports/imports.ts'
import type { Received } from '../../imports/received.ts'
import { uploadOptions } from '../../imports/bodies.ts'
import { readCommitOptions } from '../../imports/imports.ts'
import { readBody } from '../../shapes/body.ts'
import { checkBankProfile, findProfile, type Profile } from '../../imports/profiles/profiles.ts'
import type { ImportWork } from '../../imports/work.ts'
import type { KeptFile } from '../../ports/files.ts'
import { rememberBytes } from '../http/body/json-body.ts'
import { answerLast } from '../http/last-answer.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { Refusal } from '../http/problems.ts'
import { principalOf } from '../http/request-context.ts'
import { requires } from '../policy.ts'
import type { ActorName } from '../records/actors.ts'
import { answersWith } from '../records/answers.ts'
import { parametersOf } from '../records/list-query.ts'
import { objectNamed } from '../records/named-object.ts'
import { WRITES } from '../http/header-parameters.ts'
import { importText } from './reads.ts'

export interface UploadRoutes {
  readonly definitions: Definitions
  readonly imports: Imports
  readonly idempotency: Idempotency
  readonly maxBytes: number
  readonly work: Pick<ImportWork, 'load'>
  readonly actorName: ActorName
}

/** What is said about a file: as query parameters, or as members of `options` in a form. */
const PARAMETERS = ['mode', 'commit', 'fileName', 'again', 'onError', 'allowPastDates', 'profile'] as const
const MOST_OPTIONS = 65_536

declare module 'express-serve-static-core' {
  interface Locals {
    upload?: Upload
  }
}

/** What arrived. */
interface Upload {
  readonly file: KeptFile
  readonly name: string | undefined
  readonly options: Fields
}

export function uploadRoutes(routes: UploadRoutes): Router {
  const { definitions, imports, idempotency, maxBytes, work, actorName } = routes
  const receive: RequestHandler = async (request, response, next) => {
    objectNamed(definitions, request)
    parametersOf(request, PARAMETERS, WRITES)
    if (Number(request.headers['content-length'] ?? 0) > maxBytes + MOST_OPTIONS) {
      answerLast(request, response)
      throw new TooLarge(`the file is larger than ${maxBytes} bytes`, [
        { Field: 'file', Message: `is larger than ${maxBytes} bytes` },
      ])
    }
    const { company } = principalOf(response)
    const isForm = /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')
    try {
      const upload: Upload = isForm
        ? await formOf(request, (bytes) => imports.keep(company, bytes))
        : { file: await imports.keep(company, request), name: undefined, options: {} }
      response.locals.upload = upload
      rememberBytes(request, Buffer.from(JSON.stringify([upload.file.sha256, upload.options])))
    } catch (error) {
      answerLast(request, response)
      throw error
    }
    next()
  }

  const answer = answersWith(
    idempotency,
    PARAMETERS,
  )(async (caller, request, response) => {
    const definition = objectNamed(definitions, request)
    const upload = response.locals.upload!
    if (upload.file.bytes === 0) throw invalid('file', 'is empty')
    const given = { ...parametersAsOptions(request), ...upload.options }
    const isBank = definition.object === BANK_STATEMENT
    const profile = isBank ? undefined : await profileIn(work, caller.company, definition.object, given)
    const received = isBank
      ? await readBankFile(work, caller.company, given)
      : readReceived(given, (mapping) => readMapping(definition, definitions, mapping), profile)
    const name = fileNameOf(received.name ?? upload.name)
    const { key } = await imports.receive(caller, { ...received, definition, file: upload.file, name })
    const whole = await imports.find(caller.company, key)
    return {
      status: 202,
      headers: { Location: `/api/v1/imports/${key}` },
      body: await importText({ imports, actorName }, whole),
    }
  })

  const router = Router({ caseSensitive: true })
  refuseOthers(router.route('/:object/import').post(requires('import', ':object'), receive, answer))
  return router
}

function parametersAsOptions(request: Request): Fields {
  const given = parametersOf(request, PARAMETERS, WRITES)
  const { mode, commit, fileName, again, onError, allowPastDates, profile } = given
  const flag = (text: string) => (text === 'true' ? true : text === 'false' ? false : text)
  return {
    ...(mode !== undefined && { Mode: mode }),
    ...(commit !== undefined && { Commit: flag(commit) }),
    ...(fileName !== undefined && { FileName: fileName }),
    ...(again !== undefined && { Again: flag(again) }),
    ...(onError !== undefined && { OnError: onError }),
    ...(allowPastDates !== undefined && { AllowPastDates: flag(allowPastDates) }),
    ...(profile !== undefined && { Profile: profile }),
  }
}

/** A bank file says itself what its rows are: its Mapping holds choices alone. */
async function readBankFile(
  work: Pick<ImportWork, 'load'>,
  company: Company,
  { Mapping: mapping, Profile: profile, ...given }: Fields,
): Promise<Asked> {
  const wrong = ['Mode', 'AllowPastDates'].filter((name) => given[name] !== undefined)
  if (wrong.length > 0)
    throw new Invalid(
      OPTIONS_WRONG,
      wrong.map((Field) => ({ Field, Message: 'is not for bank statements' })),
    )
  const said = profile === undefined ? mapping : { Profile: profile, ...(mapping as Fields | undefined) }
  const bank = readBankChoices(said)
  await checkBankProfile(work, company, bank)
  return { ...readReceived(given, () => LINE_MAPPING), bank }
}

type Asked = Omit<Received, 'definition' | 'file'>

/** @throws Invalid naming every option that is wrong */
function readReceived(given: Fields, mappingOf: (value: Json) => Mapping, profile?: Profile): Asked {
  const options = readBody(uploadOptions, given, OPTIONS_WRONG)
  const { Mode, Commit, Again, AllowPastDates, FileName = null, Mapping: mapping } = options
  if (profile && mapping !== undefined)
    throw new Invalid(OPTIONS_WRONG, [{ Field: 'Mapping', Message: 'is the profile’s: give one of the two' }])
  const { OnError = null, MaxErrors = null } = options
  return {
    name: FileName,
    again: Again,
    options: { ...readCommitOptions({ ...(OnError && { OnError }), MaxErrors }), Commit },
    profile: profile?.key,
    mapping: {
      ...profile?.mapping,
      ...(mapping !== undefined && mappingOf(mapping as Json)),
      ...(Mode && { Mode }),
      ...(AllowPastDates && { AllowPastDates }),
    },
  }
}

const OPTIONS_WRONG = 'The options of the import are not valid.'

/** @throws NotFound where the profile is not one of the object */
async function profileIn(
  work: Pick<ImportWork, 'load'>,
  company: Company,
  object: string,
  { Profile: given = null }: Fields,
): Promise<Profile | undefined> {
  if (given === null) return undefined
  if (typeof given !== 'string') throw invalid('Profile', 'must be the Key of an import profile')
  return findProfile(work, company, given, object)
}

const MOST_NAME = 200

/** Without folders and control characters: it is shown, and never a path. */
function fileNameOf(name: string | null | undefined): string | null {
  const last = (name ?? '').split(/[\\/]/).at(-1) ?? ''
  const plain = last.replace(/[\u0000-\u001f\u007f]/g, '').trim()
  return plain === '' || !plain.isWellFormed() ? null : [...plain].slice(0, MOST_NAME).join('')
}

function formOf(request: Request, keep: (bytes: BusboyFileStream) => Promise<KeptFile>): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const form = parserOf(request)
    let options: Fields = {}
    let kept: Promise<Omit<Upload, 'options'>> | undefined
    let arriving: BusboyFileStream | undefined
    const refuse = (cause: unknown) => {
      const error = cause instanceof Error ? cause : new Error(String(cause))
      request.unpipe(form)
      // Nothing comes any more: without it what keeps the file waits for ever.
      arriving?.destroy(error)
      reject(error)
    }
    form.on('field', (name: string, value: string, _shortName: boolean, isCut: boolean) => {
      try {
        options = optionsIn(name, value, isCut, kept !== undefined)
      } catch (error) {
        refuse(error)
      }
    })
    form.on('file', (field: string, bytes: BusboyFileStream, name: string) => {
      if (field === 'file' && !kept) {
        // What keeps it may not have begun to listen.
        arriving = bytes.on('error', () => {})
        kept = keep(bytes).then((file) => ({ file, name }))
      } else bytes.resume()
      kept?.catch(refuse)
    })
    form.on('filesLimit', () => refuse(invalid('file', 'must be one file')))
    form.on('fieldsLimit', () => refuse(invalid('options', 'must be one field, before the file')))
    form.on('error', () => refuse(invalid('', 'is not a form that can be read')))
    form.on('finish', () => {
      if (!kept) reject(invalid('file', 'is missing'))
      else kept.then((upload) => resolve({ ...upload, options }), reject)
    })
    request.once('aborted', () => refuse(invalid('', 'ended before it was complete')))
    request.pipe(form)
  })
}

function parserOf(request: Request) {
  try {
    return new Busboy({
      headers: request.headers as { 'content-type': string },
      limits: { files: 1, fields: 5, fieldSize: MOST_OPTIONS, parts: 10, headerPairs: 50 },
    })
  } catch {
    throw new Refusal({ status: 400, code: 'VALIDATION_ERROR', message: 'the form has no boundary' })
  }
}

function optionsIn(name: string, value: string, isCut: boolean, isLate: boolean): Fields {
  if (name !== 'options') throw invalid(name.slice(0, 100), 'is unknown; a form has options and file')
  if (isLate) throw invalid('options', 'must come before the file')
  if (isCut) throw invalid('options', `is longer than ${MOST_OPTIONS} characters`)
  try {
    const read = JSON.parse(value) as Json
    if (isObject(read)) return read
  } catch {
    // said below
  }
  throw invalid('options', 'must be a JSON object')
}
