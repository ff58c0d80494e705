/**
 * What `npm test` runs: all that is embedded, in one process for each service, and does not depend on other programs. Two files at
 * a time: each has its own folders and free ports.
 */
module.exports = {
  ...require('../../.mocharc.json'),
  parallel: true,
  jobs: 2,
  spec: ['test/**/*.test.ts', 'bench/**/*.test.ts'],
  ignore: [
    'test/adapters/eventstoredb/**',
    'test/adapters/mongodb/**',
    'test/adapters/mqtt/mosquitto.test.ts',
    'test/adapters/postgres/**',
    'test/adapters/rabbitmq/**',
    'test/adapters/sftp/**',
    'test/commands/simulation.test.ts',
    'test/docs/operators.test.ts',
    'test/docs/production.test.ts',
    'test/docs/recipes.test.ts',
    'test/faults/**',
    'test/imports/formats/xlsx/hostile.test.ts',
    'test/integrations/partners/**',
    'test/matrix/**',
    'test/scripts/**',
    'test/system/*.test.ts',
    'test/system/console/**',
    'test/system/distributed/**',
    'test/timers/due-actions.test.ts',
    'test/webhooks/receivers.test.ts',
  ],
}
