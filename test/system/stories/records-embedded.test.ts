import { testService } from '../../support/service.ts'
import { OUTWARD, outwardStory } from './outward-story.ts'
import { recordsStory } from './records-story.ts'

describe('the story of a lease, on the embedded engines', () => {
  describe('in records', () => recordsStory(() => testService()))
  outwardStory(() => testService({ settings: OUTWARD }))
})
