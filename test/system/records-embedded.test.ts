import { testService } from '../support/service.ts'
import { recordsStory } from './records-story.ts'

describe('the story of a lease, on the embedded engines', () => recordsStory(() => testService()))
