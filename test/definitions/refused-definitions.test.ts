/** Everything that a definition may have wrong, and the words it is refused with. */
import { expect } from 'chai'
import type { FieldDefinition } from '../../src/domain/definition.ts'
import { asset, assetWith, definitionFiles, type DefinitionFiles } from './definition-files.ts'

describe('a definition is refused for', () => {
  let files: DefinitionFiles
  beforeEach(() => (files = definitionFiles()))
  afterEach(() => files.remove())

  const numbered = (pattern: string, field: Partial<FieldDefinition>) => ({
    ...assetWith({ name: 'Number', ...field }),
    numbering: { field: 'Number', pattern, digits: 4 },
  })
  const inStates = (field: Partial<FieldDefinition>, states: string[], initial = 'Open') => ({
    ...assetWith({ name: 'Status', ...field }),
    workflow: { field: 'Status', initial, states },
  })
  const states: Partial<FieldDefinition> = { type: 'choice', choices: ['Open', 'Done'], strict: true }
  const finish = { action: 'finish', done: 'finished', from: ['Open'], to: 'Done' }
  /** An object in two states, with these actions. */
  const acting = (transitions: object[], more: object = {}, ...fields: Partial<FieldDefinition>[]) => ({
    ...assetWith({ name: 'Status', ...states }, ...fields),
    workflow: { field: 'Status', initial: 'Open', states: ['Open', 'Done'], transitions, ...more },
  })
  const setting = (name: string, value: unknown, field: Partial<FieldDefinition> = {}) =>
    acting([{ ...finish, set: { [name]: value } }], {}, { name: 'A', type: 'text', ...field })

  const cases: [string, object, ...string[]][] = [
    [
      'a name that is not the object in PascalCase',
      { ...asset, name: 'FixedAsset' },
      '$.name: must be asset in PascalCase: the same letters and digits',
    ],
    [
      'a display field that is not there',
      { ...asset, display: 'Title' },
      '$.display: there is no field Title',
    ],
    [
      'a display field that is no text',
      { ...assetWith({ name: 'Cost', type: 'money' }), display: 'Cost' },
      '$.display: Cost is money; a display field is text, email, url, choice',
    ],
    [
      'a standard field',
      assetWith({ name: 'CreatedAt', type: 'timestamp' }),
      '$.fields[1].name: CreatedAt is a field that every record has',
    ],
    [
      'a standard field in other letters',
      assetWith({ name: 'ID', type: 'text' }),
      '$.fields[1].name: ID is a field that every record has',
    ],
    [
      'a column of the warehouse',
      assetWith({ name: 'ValidTo', type: 'date' }),
      '$.fields[1].name: ValidTo is a column that every warehouse table has',
    ],
    [
      'what SQL takes for the place of a row',
      assetWith({ name: 'RowId', type: 'integer' }),
      '$.fields[1].name: RowId is the place of a row, to SQL',
    ],
    [
      'a word of the filter language',
      assetWith({ name: 'Not', type: 'boolean' }),
      '$.fields[1].name: Not is a word of the filter language',
    ],
    [
      'two fields that differ in case only',
      assetWith({ name: 'NAME', type: 'text' }),
      '$.fields[1].name: there is already a field Name; names must differ by more than case',
    ],
    [
      'a lookup to nowhere',
      assetWith({ name: 'Room', type: 'lookup', target: 'room' }),
      '$.fields[1].target: there is no object room; there are asset',
    ],
    [
      'a derived date from nowhere',
      assetWith({ name: 'End', type: 'date', derived: { from: 'Start', months: 'Name' } }),
      '$.fields[1].derived.from: there is no field Start',
      '$.fields[1].derived.months: Name is text, not integer',
    ],
    [
      'a date before itself',
      assetWith({ name: 'End', type: 'date', notBefore: 'End' }),
      '$.fields[1].notBefore: names the field itself',
    ],
    [
      'a date before text',
      assetWith({ name: 'End', type: 'date', notBefore: 'Name' }),
      '$.fields[1].notBefore: Name is text, not date',
    ],
    [
      'a required field that nobody can give a value',
      assetWith({ name: 'A', type: 'text', required: true, readOnly: true }),
      '$.fields[1].required: a readOnly field that is neither numbered nor derived can have no value',
    ],
    [
      'a unique field that the service assigns',
      assetWith({ name: 'A', type: 'text', unique: true, readOnly: true }),
      '$.fields[1].unique: the service assigns it; unique is for values that are sent',
    ],
    [
      'bounds the wrong way round',
      assetWith({ name: 'A', type: 'integer', minimum: 2, maximum: 1 }),
      '$.fields[1].minimum: is greater than the maximum 1',
    ],
    [
      'a default that is no date',
      assetWith({ name: 'A', type: 'date', default: '2026-02-30' }),
      '$.fields[1].default: must be a date that exists, as YYYY-MM-DD',
    ],
    [
      'a default in another form than is kept',
      assetWith({ name: 'A', type: 'timestamp', default: '2026-02-01T00:00:00+01:00' }),
      '$.fields[1].default: must be written as it is stored: "2026-01-31T23:00:00Z"',
    ],
    [
      'a default out of bounds',
      assetWith({ name: 'A', type: 'decimal', maximum: 1, default: 2 }),
      '$.fields[1].default: must be at most 1',
    ],
    [
      'a default that is no choice',
      assetWith({ name: 'A', type: 'choice', choices: ['x', 'y'], strict: true, default: 'z' }),
      '$.fields[1].default: must be one of x, y',
    ],
    [
      'a default of a unique field',
      assetWith({ name: 'A', type: 'text', unique: true, default: 'x' }),
      '$.fields[1].default: a unique field cannot have one: the second record would be a duplicate',
    ],
    [
      'a choice that appears twice',
      assetWith({ name: 'A', type: 'choice', choices: ['x', 'x'] }),
      '$.fields[1].choices[1]: x appears twice',
    ],
    [
      'numbers for a field that is not there',
      { ...asset, numbering: { field: 'Number', pattern: 'A-{year}-{sequence}', digits: 4 } },
      '$.numbering.field: there is no field Number',
    ],
    [
      'numbers in a field that clients write',
      numbered('A-{year}-{sequence}', { type: 'text' }),
      '$.numbering.field: Number must be a readOnly text field',
    ],
    [
      'numbers without sequence',
      numbered('A-{year}', { type: 'text', readOnly: true }),
      '$.numbering.pattern: must hold {sequence} once',
    ],
    [
      'numbers with the year twice',
      numbered('{year}-{year}-{sequence}', { type: 'text', readOnly: true }),
      '$.numbering.pattern: may hold {year} only once',
    ],
    [
      'numbers with another placeholder',
      numbered('{month}-{year}-{sequence}', { type: 'text', readOnly: true }),
      '$.numbering.pattern: only {year} and {sequence} may be in braces',
    ],
    [
      'a workflow in text',
      inStates({ type: 'text' }, ['Open']),
      '$.workflow.field: Status must be a strict choice',
    ],
    [
      'a workflow in a choice that takes anything',
      inStates({ ...states, strict: false }, ['Open', 'Done']),
      '$.workflow.field: Status must be a strict choice',
    ],
    [
      'a state that is no choice',
      inStates(states, ['Open', 'Done', 'Lost']),
      '$.workflow.states[2]: Lost is not among the choices of Status',
    ],
    [
      'a choice that is no state',
      inStates(states, ['Open']),
      '$.workflow.states: Done, a choice of Status, is missing',
    ],
    [
      'an initial state that is none',
      inStates(states, ['Open', 'Done'], 'New'),
      '$.workflow.initial: New is not among the states',
    ],
    [
      'a default beside the initial state',
      inStates({ ...states, default: 'Done' }, ['Open', 'Done']),
      "$.fields[1].default: the workflow's initial state is taken",
    ],
    [
      'actions between states that are none',
      acting([{ action: 'lose', done: 'lost', from: ['Gone', 'Open'], to: 'Lost' }, finish]),
      '$.workflow.transitions[0].from[0]: Gone is not among the states; did you mean Done?',
      '$.workflow.transitions[0].to: Lost is not among the states',
    ],
    [
      'an action from the same state twice',
      acting([{ ...finish, from: ['Open', 'Open'] }]),
      '$.workflow.transitions[0].from[1]: Open appears twice',
    ],
    [
      'an action that appears twice',
      acting([finish, { ...finish, from: ['Done'] }]),
      '$.workflow.transitions[1].action: there is already an action finish',
    ],
    [
      'an action without the word of its event',
      acting([{ action: 'finish', from: ['Open'], to: 'Done' }]),
      '$.workflow.transitions[0].done: is missing',
    ],
    [
      'two actions with one event',
      acting([finish, { action: 'end', done: 'finished', from: ['Open'], to: 'Done' }]),
      '$.workflow.transitions[1].done: another action has the word finished already',
    ],
    [
      'a state to which no action leads',
      acting([{ ...finish, to: 'Open' }]),
      '$.workflow.states[1]: no action leads to Done',
    ],
    [
      'a state that only actions from itself lead to',
      acting([{ ...finish, from: ['Done'] }]),
      '$.workflow.states[1]: no action leads to Done',
    ],
    [
      'strictness without actions',
      {
        ...acting([]),
        workflow: { field: 'Status', initial: 'Open', states: ['Open', 'Done'], strictStatus: true },
      },
      '$.workflow.strictStatus: there is no action by which the state could change',
    ],
    [
      'an entry that is no state',
      acting([finish], { entry: ['Lost'] }),
      '$.workflow.entry[0]: Lost is not among the states',
    ],
    [
      'a condition that cannot be read',
      acting([{ ...finish, condition: "Name eq 'x' und Status" }]),
      '$.workflow.transitions[0].condition: expected and, or, or the end, found und at 13',
    ],
    [
      'a condition on a state that there is not',
      acting([{ ...finish, condition: "Status eq 'open'" }]),
      "$.workflow.transitions[0].condition: Status is never 'open' at 11; did you mean Open?",
    ],
    [
      'a condition on a field that is not there',
      acting([{ ...finish, condition: "Nmae eq 'x'" }]),
      '$.workflow.transitions[0].condition: unknown field Nmae at 1; did you mean Name?',
    ],
    ['a value for no field', setting('B', 1), '$.workflow.transitions[0].set.B: there is no field B'],
    [
      'a value for the state',
      setting('Status', 'Open'),
      '$.workflow.transitions[0].set.Status: Status is set by the action itself',
    ],
    ['a value of another type', setting('A', true), '$.workflow.transitions[0].set.A: must be text'],
    [
      'the moment for another type than a timestamp',
      setting('A', 'now', { type: 'date' }),
      '$.workflow.transitions[0].set.A: must be a date that exists, as YYYY-MM-DD',
    ],
    [
      'today for another type than a date',
      setting('A', 'today', { type: 'timestamp' }),
      '$.workflow.transitions[0].set.A: must be a timestamp that exists, as YYYY-MM-DDThh:mm:ssZ',
    ],
    [
      'a value for a lookup',
      setting('A', 'asset-1', { type: 'lookup', target: 'asset' }),
      '$.workflow.transitions[0].set.A: A is a lookup, and records belong to one company',
    ],
    [
      'a value for a unique field',
      setting('A', 'x', { unique: true }),
      '$.workflow.transitions[0].set.A: A is unique: the second record would be a duplicate',
    ],
    [
      'clearing what is required',
      setting('A', null, { required: true }),
      '$.workflow.transitions[0].set.A: A is required',
    ],
    [
      'names of events of another object, and of every record',
      {
        ...asset,
        events: [
          { name: 'tool.lent', when: "Name eq 'x'" },
          { name: 'asset.updated', when: "Name eq 'x'" },
        ],
      },
      '$.events[0].name: must begin with asset.',
      '$.events[1].name: asset.updated is an event of every record',
    ],
    [
      'two events with one name',
      {
        ...asset,
        events: [
          { name: 'asset.lent', when: "Name eq 'x'" },
          { name: 'asset.lent', when: "Name eq 'y'" },
        ],
      },
      '$.events[1].name: asset.lent appears twice',
    ],
    [
      'an event on what is not the record’s own',
      {
        ...assetWith({ name: 'Part', type: 'lookup', target: 'asset' }),
        events: [{ name: 'asset.lent', when: "Part/Name eq 'x' or CreatedAt gt 2026-01-01T00:00:00Z" }],
      },
      '$.events[0].when: Part/Name is not a field of the record itself',
      '$.events[0].when: CreatedAt is not a field of the record itself',
    ],
  ]
  for (const [what, definition, ...expected] of cases)
    it(what, () => expect(files.faultsOf(definition)).to.deep.equal(expected))
})
