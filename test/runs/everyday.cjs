/** What `npm test` runs: all that is embedded, in one process, and does not depend on other programs. */
module.exports = {
  ...require('../../.mocharc.json'),
  spec: ['test/**/*.test.ts', 'bench/**/*.test.ts'],
  ignore: [
    'test/adapters/eventstoredb/**',
    'test/adapters/mongodb/**',
    'test/adapters/mqtt/mosquitto.test.ts',
    'test/adapters/postgres/**',
    'test/adapters/rabbitmq/**',
    'test/adapters/sftp/**',
    'test/commands/simulation.test.ts',
    'test/compose/mongodb/**',
    'test/docs/recipes.test.ts',
    'test/faults/**',
    'test/matrix/**',
    'test/scripts/**',
    'test/system/*.test.ts',
    'test/system/console/**',
    'test/system/distributed/**',
    'test/webhooks/receivers.test.ts',
  ],
}
