/**
 * What `npm run test:rest` runs: faults, real engines, other languages, several processes, the matrix, a browser. One file after
 * the other: with three at a time on two cores FerretDB does not answer within the bounds that tests of its failures look at.
 */
module.exports = {
  ...require('../../.mocharc.json'),
  spec: [
    'test/matrix/**/*.test.ts',
    'test/scripts/**/*.test.ts',
    'test/system/console/**/*.test.ts',
    'test/adapters/eventstoredb/**/*.test.ts',
    'test/adapters/mongodb/**/*.test.ts',
    'test/adapters/mqtt/mosquitto.test.ts',
    'test/adapters/postgres/**/*.test.ts',
    'test/adapters/rabbitmq/**/*.test.ts',
    'test/adapters/sftp/**/*.test.ts',
    'test/commands/simulation.test.ts',
    'test/docs/operators.test.ts',
    'test/docs/production.test.ts',
    'test/docs/recipes.test.ts',
    'test/faults/**/*.test.ts',
    'test/imports/formats/xlsx/hostile.test.ts',
    'test/integrations/partners/**/*.test.ts',
    'test/system/*.test.ts',
    'test/system/distributed/**/*.test.ts',
    'test/timers/due-actions.test.ts',
    'test/webhooks/receivers.test.ts',
  ],
}
