/** What `npm run test:rest` runs: faults, real engines, other languages, several processes, the matrix, a browser. */
module.exports = {
  ...require('../../.mocharc.json'),
  spec: [
    'test/adapters/eventstoredb/**/*.test.ts',
    'test/adapters/mongodb/**/*.test.ts',
    'test/adapters/mqtt/mosquitto.test.ts',
    'test/adapters/postgres/**/*.test.ts',
    'test/adapters/rabbitmq/**/*.test.ts',
    'test/adapters/sftp/**/*.test.ts',
    'test/commands/simulation.test.ts',
    'test/compose/mongodb/**/*.test.ts',
    'test/docs/operators.test.ts',
    'test/docs/production.test.ts',
    'test/docs/recipes.test.ts',
    'test/faults/**/*.test.ts',
    'test/matrix/**/*.test.ts',
    'test/scripts/**/*.test.ts',
    'test/system/*.test.ts',
    'test/system/console/**/*.test.ts',
    'test/system/distributed/**/*.test.ts',
    'test/webhooks/receivers.test.ts',
  ],
}
