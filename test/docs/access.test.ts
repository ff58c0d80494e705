/** docs/access.md lists the roles that are shipped. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '..', '..')

it('access.md has each role that is shipped once', () => {
  const { roles } = JSON.parse(readFileSync(join(root, 'definitions', 'roles.json'), 'utf8')) as {
    readonly roles: readonly { readonly Name: string }[]
  }
  const page = readFileSync(join(root, 'docs', 'access.md'), 'utf8')
  const [, section = ''] = page.split('## Roles that are shipped')
  const listed = [...section.split('\n## ')[0]!.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)
  expect(listed.sort()).to.deep.equal(roles.map(({ Name }) => Name).sort())
})
