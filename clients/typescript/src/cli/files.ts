/** Commands about imports, and about templates of mails that are kept as files. */
import { openAsBlob, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Import } from '../imports.ts'
import type { Template, Templates, TemplateTexts } from '../templates.ts'
import type { AnyFields } from '../values.ts'
import { needed, oneOf, said, Usage, type Commands, type Desk } from './command.ts'

const MODES = ['create', 'update', 'upsert'] as const
const ACTIONS = ['show', 'commit', 'cancel', 'undo', 'rows', 'errors'] as const

export const fileCommands: Commands = {
  import: {
    usage: '<object> <file> [--mode upsert] [--mapping m.json | --profile …] [--commit | --dry-run]',
    about: 'checks a file, and imports it with --commit',
    dry: true,
    run: async (desk, [object, path], options) => {
      const { mapping, profile: Profile, commit: Commit, again: Again } = options
      const isDry = options['dry-run'] === true
      if (isDry && Commit) throw new Usage('--commit and --dry-run: which of the two?')
      const file = await openAsBlob(needed(path, 'a file'))
      const asked = said({
        Mode: options.mode === undefined ? undefined : oneOf(options.mode, MODES, '--mode'),
        Mapping: mapping === undefined ? undefined : (JSON.parse(readFileSync(mapping, 'utf8')) as AnyFields),
        Profile,
        Commit,
        // What is only tried is not refused for an earlier import of it.
        Again: isDry || Again,
        FileName: basename(path!),
      })
      const { imports } = desk.daybook
      const { Id } = await imports.upload(needed(object, 'an object, such as tenant,'), file, asked)
      const found = await imports.finished(Id)
      if (isDry && found.State !== 'Failed') await imports.cancel(Id)
      return summary(desk, found)
    },
  },
  imports: {
    usage: `[<key> [${ACTIONS.join('|')}]]`,
    about: 'imports, and what can be done with one',
    run: async (desk, [key, action = 'show'], { limit = '25' }) => {
      const { imports } = desk.daybook
      if (key === undefined) {
        const all = await imports.list({ sort: '-CreatedAt' }).toArray({ limit: Number(limit) })
        return all.map(({ Id, Object, State, Counts }) => ({ Id, Object, State, Rows: Counts.Rows }))
      }
      const what = oneOf(action, ACTIONS, 'what is done with an import')
      if (what === 'errors') return imports.errors(key)
      if (what === 'rows') return imports.rows(key).toArray({ limit: Number(limit) })
      if (what === 'show') return summary(desk, await imports.get(key))
      if (what === 'cancel') return summary(desk, await imports.cancel(key))
      const { Id } = what === 'undo' ? await imports.undo(key, { Commit: true }) : await imports.commit(key)
      return summary(desk, await imports.finished(Id))
    },
  },
  templates: {
    usage: '[push <folder>] [--notifications http://…:3001] [--dry-run]',
    about: 'templates of mails; push stores those of a folder that differ',
    dry: true,
    run: async (desk, [what, folder], options) => {
      const { templates } = desk.connect({ url: options.notifications ?? besides(desk.url) })
      const all = await templates.list().toArray({ limit: 1_000 })
      if (what === undefined)
        return all.map(({ Id, name, locale, trigger, version }) => ({ Id, name, locale, trigger, version }))
      oneOf(what, ['push'], 'what is done with templates')
      const read = await layoutsByKey(templates, templatesIn(needed(folder, 'a folder')))
      const shown: object[] = []
      for (const texts of read) {
        const there = all.find(({ name, locale }) => name === texts.name && locale === (texts.locale ?? 'en'))
        const change = !there ? 'new' : isSame(there, texts) ? 'unchanged' : 'changed'
        if (change !== 'unchanged')
          await (options['dry-run'] ? templates.validate(texts) : templates.push(texts))
        shown.push({ Template: texts.name, Locale: texts.locale ?? 'en', Change: change })
      }
      return shown
    },
  },
}

/** Of an import, what one wants to know first. */
function summary(desk: Desk, { Id, Object, State, Counts, Check, Questions, Reason }: Import) {
  if (['NeedsMapping', 'CompletedWithErrors', 'Failed'].includes(State) || (Check?.['WouldFail'] ?? 0) > 0)
    desk.fail()
  const { Rows, Created, Updated, Failed } = Counts
  const asked = Questions.map(({ Question }) => Question).join('; ')
  const counts = State === 'Checked' || State === 'Cancelled' ? Check : { Created, Updated, Failed }
  return { Id, Object, State, Rows, ...counts, ...(asked && { Questions: asked }), ...(Reason && { Reason }) }
}

/** The notification service listens on the next port, unless it was set up in another way. */
function besides(url: string): string {
  const next = new URL(url)
  if (next.port === '') throw new Usage('--notifications: where is the notification service?')
  next.port = String(Number(next.port) + 1)
  return next.origin
}

/** `<name>.json` with the members of a template; body and text may stand in `<name>.html` and `<name>.txt` beside it. */
function templatesIn(folder: string): readonly TemplateTexts[] {
  const names = readdirSync(folder).sort()
  const found = names
    .filter((name) => name.endsWith('.json'))
    .map((name) => {
      const texts = JSON.parse(readFileSync(join(folder, name), 'utf8')) as TemplateTexts
      const beside = (extension: string) => {
        const other = name.replace(/json$/, extension)
        return names.includes(other) ? readFileSync(join(folder, other), 'utf8') : undefined
      }
      return { ...said({ body: beside('html'), text: beside('txt') }), ...texts }
    })
  if (found.length === 0) throw new Usage(`${folder} has no template: each is a .json file`)
  return found
}

/** Files may name a layout; templates have its Key. */
async function layoutsByKey(
  templates: Templates,
  read: readonly TemplateTexts[],
): Promise<readonly TemplateTexts[]> {
  if (read.every(({ layout }) => typeof layout !== 'string')) return read
  const layouts = await templates.layouts().toArray({ limit: 1_000 })
  return read.map((texts) => {
    const found = layouts.find(({ name }) => name === texts.layout)
    return found ? { ...texts, layout: found.Id } : texts
  })
}

function isSame(there: Template, texts: TemplateTexts): boolean {
  const given = { text: null, ...texts }
  return Object.entries(given).every(([name, value]) => there[name as keyof Template] === value)
}
