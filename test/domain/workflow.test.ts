import { expect } from 'chai'
import type { ObjectDefinition } from '../../src/domain/definition.ts'
import { eventNamesOf } from '../../src/domain/events/event-names.ts'
import { namedEvents } from '../../src/domain/events/named-events.ts'
import { changesOf, entryStates, needsAnother, transitionsFrom } from '../../src/domain/workflow.ts'

const task: ObjectDefinition = {
  object: 'task',
  name: 'Task',
  application: 'Office',
  display: 'Title',
  fields: [
    { name: 'Title', type: 'text' },
    { name: 'State', type: 'choice', choices: ['Open', 'Held', 'Done'], strict: true },
    { name: 'Budget', type: 'money' },
    { name: 'DoneAt', type: 'timestamp' },
    { name: 'DoneOn', type: 'date' },
  ],
  workflow: {
    field: 'State',
    initial: 'Open',
    states: ['Open', 'Held', 'Done'],
    entry: ['Held', 'Open'],
    transitions: [
      { action: 'hold', done: 'held', from: ['Open'], to: 'Held' },
      {
        action: 'finish',
        done: 'done',
        from: ['Open', 'Held'],
        to: 'Done',
        set: { DoneAt: 'now', DoneOn: 'today', Title: 'now', Budget: null },
      },
    ],
  },
  events: [
    { name: 'task.dear', when: "Budget gt 100 and Budget/Currency eq 'EUR'" },
    { name: 'task.untitled', when: 'Title eq null' },
  ],
}

describe('a workflow', () => {
  it('tells the actions of a state', () => {
    const actions = (state: string | null) =>
      transitionsFrom(task.workflow!, state).map(({ action }) => action)
    expect([actions('Open'), actions('Held'), actions('Done'), actions(null)]).to.deep.equal([
      ['hold', 'finish'],
      ['finish'],
      [],
      [],
    ])
  })

  it('tells where records begin', () => expect(entryStates(task.workflow!)).to.deep.equal(['Open', 'Held']))

  it('keeps an approval, and what else says so, from whoever asked for it', () => {
    const some = { done: 'done', from: [], to: 'x' }
    expect(needsAnother({ ...some, action: 'approve' })).to.equal(true)
    expect(needsAnother({ ...some, action: 'approve', selfApproval: true })).to.equal(false)
    expect(needsAnother({ ...some, action: 'submit' })).to.equal(false)
    expect(needsAnother({ ...some, action: 'submit', selfApproval: false })).to.equal(true)
  })

  it('fills in the moment, only where a moment belongs', () =>
    expect(changesOf(task, task.workflow!.transitions![1]!, '2028-02-29T23:59:59.999Z')).to.deep.equal({
      State: 'Done',
      DoneAt: '2028-02-29T23:59:59Z',
      DoneOn: '2028-02-29',
      Title: 'now',
      Budget: null,
    }))
})

describe('the events of an object', () => {
  it('are those of every record, of its actions, and its own', () =>
    expect(eventNamesOf(task)).to.deep.equal([
      'task.created',
      'task.updated',
      'task.deleted',
      'task.restored',
      'task.workflow.held',
      'task.workflow.done',
      'task.dear',
      'task.untitled',
    ]))

  it('have names that come true with a change', () => {
    const dear = { Title: 'x', Budget: { Amount: 101, Currency: 'EUR' } }
    const dollars = { Title: 'x', Budget: { Amount: 101, Currency: 'USD' } }
    expect(namedEvents(task, undefined, dear)).to.deep.equal(['task.dear'])
    expect(namedEvents(task, dollars, dear)).to.deep.equal(['task.dear'])
    expect(namedEvents(task, dear, dear)).to.deep.equal([])
    expect(namedEvents(task, dear, { Budget: dear.Budget })).to.deep.equal(['task.untitled'])
    expect(namedEvents(task, dear, dollars)).to.deep.equal([])
    expect(namedEvents(task, dollars, { Budget: dear.Budget })).to.deep.equal(['task.dear', 'task.untitled'])
  })
})
