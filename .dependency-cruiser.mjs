/** Who may import whom. `test/architecture.test.ts` runs this and proves that every file was read. */
const layers = {
  domain: [],
  shapes: ['domain'],
  ports: ['domain'],
  rights: ['domain', 'ports', 'shapes'],
  commands: ['domain', 'ports', 'rights'],
  projections: ['domain', 'ports'],
  webhooks: ['domain', 'ports', 'commands', 'projections'],
  timers: ['domain', 'ports', 'commands', 'rights', 'projections'],
  notifications: ['domain', 'ports', 'commands', 'rights', 'projections', 'timers'],
  identity: ['domain', 'ports', 'commands', 'rights', 'shapes'],
  integrations: ['domain', 'ports', 'commands', 'rights', 'projections', 'timers', 'webhooks', 'shapes'],
  imports: ['domain', 'ports', 'commands', 'rights', 'identity', 'webhooks', 'shapes'],
  adapters: ['domain', 'ports', 'projections'],
  api: [
    'domain',
    'ports',
    'commands',
    'projections',
    'webhooks',
    'notifications',
    'identity',
    'imports',
    'integrations',
    'rights',
    'shapes',
  ],
}

const reach = Object.entries(layers).map(([layer, may]) => ({
  name: `${layer}-reaches-too-far`,
  severity: 'error',
  from: { path: `^src/${layer}/` },
  to: { path: '^src/', pathNot: [layer, ...may].map((name) => `^src/${name}/`) },
}))

const strangers = {
  name: 'adapters-are-strangers',
  severity: 'error',
  from: { path: '^src/adapters/([^/]+)/' },
  // Formats and threads know no engine.
  to: { path: '^src/adapters/', pathNot: '^src/adapters/($1|formats|threads)/' },
}

const compositionOnly = {
  name: 'only-compose-knows-adapters',
  severity: 'error',
  from: { path: '^src/', pathNot: ['^src/compose/', '^src/adapters/'] },
  to: { path: '^src/adapters/' },
}

const composeIsTheTop = {
  name: 'nobody-knows-compose',
  severity: 'error',
  from: { path: '^src/', pathNot: ['^src/compose/', '^src/main.js$'] },
  to: { path: '^src/compose/' },
}

const pureCore = {
  name: 'npm-stays-at-the-edge',
  severity: 'error',
  from: { path: '^src/(domain|ports|commands|projections)/' },
  to: { dependencyTypes: ['npm', 'npm-dev', 'npm-no-pkg', 'npm-unknown'] },
}

const noCircles = { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } }

export default {
  forbidden: [...reach, strangers, compositionOnly, composeIsTheTop, pureCore, noCircles],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
  },
}
