/** What `npm run test:engines` runs on the engines that the environment names. */
module.exports = {
  ...require('../../.mocharc.json'),
  spec: [
    'test/adapters/eventstoredb/*.test.ts',
    'test/adapters/mongodb/*.test.ts',
    'test/adapters/rabbitmq/*.test.ts',
    'test/scripts/verify/mongodb.test.ts',
    'test/system/distributed/*.test.ts',
  ],
}
