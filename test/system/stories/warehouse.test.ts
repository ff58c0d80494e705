/** The story of the warehouse on the embedded engines. */
import { TOKEN, testService } from '../../support/service.ts'
import { warehouseStory } from './warehouse-story.ts'

describe('the records of an embedded service', () => warehouseStory(testService, () => TOKEN))
