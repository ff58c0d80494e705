/** What looks back, on the embedded engines. */
import { testService } from '../../support/service.ts'
import { asOfStory } from './as-of-story.ts'
import { lookingBackStory } from './looking-back-story.ts'

describe('an embedded service', function () {
  this.timeout(60_000)
  lookingBackStory(() => testService())
  asOfStory((clock) => testService({ clock }))
})
