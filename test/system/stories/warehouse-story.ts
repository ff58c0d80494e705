/**
 * What analysts see of what was written, and what others do not, told on whatever engines. It knows no engine, and
 * sees the company's own rows only: servers may be others' too.
 */
import { expect } from 'chai'
import { parquetReadObjects } from 'hyparquet'
import { withGrants } from '../../api/identity/identity-support.ts'
import type { Data, HeaderValues, TestService } from '../../support/service.ts'
import { rowsOfSnapshot } from '../../support/sqlite-rows.ts'
import { eventually } from '../support/eventually.ts'
import { projectionsOf } from './rebuild-story.ts'

const FORMATS = ['json', 'jsonl', 'csv', 'parquet'] as const

export function warehouseStory(open: () => Promise<TestService>, token: () => string): void {
  describe('and its warehouse', function () {
    this.timeout(60_000)
    let service: TestService
    let [kiel, rome]: Data[] = []
    const contracts: Data[] = []
    let position: string

    before(async () => {
      service = await open()
      kiel = await service.create('building', { Name: 'Am Hafen', City: 'Kiel' })
      rome = await service.create('building', { Name: 'Canary Court', City: 'Rome' })
      for (const Building of [kiel.Id, rome.Id, rome.Id])
        contracts.push(
          await service.create('contract', {
            Building,
            MonthlyRent: { Amount: 900.1, Currency: 'EUR' },
            StartDate: '2999-01-01',
          }),
        )
      await service.patch(`contract/${contracts[0]!.Id}`, { Duration: 12 })
      await service.patch(`building/${kiel.Id}`, { Name: 'Am Alten Hafen' })
      written(await service.delete(`contract/${contracts[2]!.Id}`))
    })
    after(() => service?.discard())

    const written = ({ headers }: { readonly headers: Headers }) =>
      (position = headers.get('Daybook-Position')!)
    const query = (Sql: string, headers: HeaderValues = {}) =>
      service.post('warehouse/query', { Sql }, { 'Daybook-At-Least': position, ...headers })
    const rows = async (sql: string) => {
      const answer = await query(sql)
      expect(answer.status, answer.text).to.equal(200)
      return (answer.data as unknown as { Rows: unknown[][] }).Rows
    }
    const download = async (path: string, headers: HeaderValues = {}) => {
      const response = await fetch(`${service.url}/api/v1/warehouse/${path}`, {
        headers: { Authorization: `Bearer ${token()}`, 'Daybook-At-Least': position, ...headers },
      })
      return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) }
    }
    const granted = (...Grants: object[]) => withGrants(service, Grants)

    it('shows what was written to whoever asks with its position, names of lookups and deletes included', async () => {
      expect(
        await rows(
          'SELECT Key, Building_Name, MonthlyRent_Amount, StartDate, Duration, IsDeleted FROM wh_Leasing_Contract ORDER BY Key',
        ),
      ).to.deep.equal([
        [contracts[0]!.Id, 'Am Alten Hafen', 900.1, '2999-01-01', 12, 0],
        [contracts[1]!.Id, 'Canary Court', 900.1, '2999-01-01', null, 0],
        [contracts[2]!.Id, 'Canary Court', 900.1, '2999-01-01', null, 1],
      ])
    })

    it('shows each version with the names of then, and until when it was so', async () => {
      const found = await rows(
        `SELECT _Version, Operation, Building_Name, Duration, ValidTo IS NULL FROM wh_Leasing_Contract_history WHERE Key = '${contracts[0]!.Id}' ORDER BY _Version`,
      )
      expect(found).to.deep.equal([
        [1, 'created', 'Am Hafen', null, 0],
        [2, 'updated', 'Am Hafen', 12, 1],
      ])
    })

    it('has the same rows in every format', async () => {
      const Keys = contracts.map(({ Id }) => Id)
      const found: Record<string, unknown> = {}
      for (const format of FORMATS) {
        const { status, bytes } = await download(`wh_Leasing_Contract?format=${format}`)
        expect(status).to.equal(200)
        const text = new TextDecoder().decode(bytes)
        const keys =
          format === 'parquet'
            ? (await parquetReadObjects({ file: bytes.buffer })).map((row) => String(row['Key']))
            : format === 'csv'
              ? text
                  .split('\r\n')
                  .slice(1, -1)
                  .map((line) => line.split(',')[0])
              : format === 'jsonl'
                ? text
                    .split('\n')
                    .slice(0, -1)
                    .map((line) => (JSON.parse(line) as Data)['Key'])
                : (JSON.parse(text) as { Data: Data[] }).Data.map((row) => row['Key'])
        found[format] = keys.toSorted()
      }
      expect(found).to.deep.equal(Object.fromEntries(FORMATS.map((format) => [format, Keys.toSorted()])))
    })

    it('can be taken home as a file', async () => {
      const { status, bytes } = await download('snapshot')
      expect(status).to.equal(200)
      const found = rowsOfSnapshot(bytes, 'SELECT sum(IsDeleted) AS n FROM wh_Leasing_Contract')
      expect(found).to.deep.equal([{ n: 1 }])
    })

    it('comes out the same when it is rebuilt, and is written on', async () => {
      const all = 'SELECT * FROM wh_Leasing_Contract_history ORDER BY Key, _Version'
      const before = await rows(all)
      const begun = await service.post('projections/warehouse/rebuild')
      expect(begun.status, begun.text).to.equal(202)
      await eventually('it has been rebuilt', async () => {
        const own = (await projectionsOf(service)).find(({ Name }) => Name === 'warehouse')
        expect([own?.['State'], own?.['Error']]).to.deep.equal(['live', null])
      })
      expect(await rows(all)).to.deep.equal(before)
      written(await service.patch(`contract/${contracts[1]!.Id}`, { Duration: 6 }))
      expect(await rows('SELECT sum(Duration) FROM wh_Leasing_Contract')).to.deep.equal([[18]])
    })

    describe('for those to whom not everything is granted', () => {
      const reading = ['read', 'export', 'audit']
      const everyTable = [
        'SELECT count(*) FROM T',
        'SELECT 1 FROM T',
        'SELECT * FROM T',
        'SELECT rowid FROM T',
        'SELECT max(Key) FROM T AS x',
        'SELECT max(Key) FROM main.T',
        'SELECT max(Key) FROM "T" UNION SELECT 1',
        'WITH x AS (SELECT Key FROM T) SELECT count(*) FROM x',
        'WITH T AS (SELECT Key FROM main.T) SELECT * FROM T',
        'SELECT (SELECT Notes FROM T LIMIT 1)',
        'SELECT EXISTS (SELECT 1 FROM T WHERE MonthlyRent_Amount > 1)',
        'SELECT b.Key FROM wh_Leasing_Building AS b JOIN T AS c ON c.Building = b.Key',
        'SELECT b.Key FROM wh_Leasing_Building AS b WHERE b.Key IN (SELECT Building FROM T)',
        'SELECT b.Key FROM wh_Leasing_Building AS b ORDER BY (SELECT count(*) FROM T)',
      ]

      it('a filter on rows hides the table as a whole: nobody asks around it', async () => {
        const clerk = await granted(
          { Object: 'contract', Actions: reading, Rows: "Building/City eq 'Kiel'" },
          { Object: 'building', Actions: reading },
        )
        // What the filter shows is there by the records' own routes.
        const shown = (await service.list('contract', {}, clerk)).list.map(({ Id }) => Id)
        expect(shown).to.deep.equal([contracts[0]!.Id])
        const { list } = await service.get('warehouse', clerk)
        expect(list.map(({ Name }) => Name)).to.deep.equal([
          'wh_Leasing_Building',
          'wh_Leasing_Building_history',
        ])
        for (const table of ['wh_Leasing_Contract', 'wh_Leasing_Contract_history', 'WH_LEASING_CONTRACT']) {
          for (const sql of everyTable) {
            const answer = await query(
              sql.replaceAll('T AS', `${table} AS`).replaceAll(/\bT\b/g, table),
              clerk,
            )
            expect([answer.status, answer.error.Code], `${sql} of ${table}: ${answer.text}`).to.deep.equal([
              403,
              'FORBIDDEN',
            ])
            expect(answer.text).to.not.match(/contract-[0-9a-z]{26}|Canary/)
          }
          for (const format of FORMATS)
            expect((await service.get(`warehouse/${table}?format=${format}`, clerk)).status).to.equal(403)
        }
        expect((await service.get('warehouse/snapshot', clerk)).status).to.equal(403)
        expect((await query('SELECT count(*) FROM wh_Leasing_Building', clerk)).status).to.equal(200)
      })

      it('a filter on the rows of another object hides its names, wherever they show', async () => {
        const clerk = await granted(
          { Object: 'contract', Actions: reading },
          { Object: 'building', Actions: reading, Rows: "City eq 'Kiel'" },
        )
        for (const column of ['Building_Name', 'b.Building_Name', '"building_name"', '*']) {
          const answer = await query(`SELECT ${column} FROM wh_Leasing_Contract AS b`, clerk)
          expect(answer.status, `${column}: ${answer.text}`).to.equal(403)
        }
        expect(
          (await query("SELECT Key FROM wh_Leasing_Contract WHERE Building_Name LIKE 'C%'", clerk)).status,
        ).to.equal(403)
        expect(
          (await query('SELECT Key FROM wh_Leasing_Contract ORDER BY Building_Name', clerk)).status,
        ).to.equal(403)
        for (const format of FORMATS) {
          const { status, bytes } = await download(`wh_Leasing_Contract?format=${format}`, clerk)
          expect(status).to.equal(200)
          expect(new TextDecoder().decode(bytes)).to.not.match(/Building_Name|Canary/)
        }
      })

      it('fields that are not granted are no columns', async () => {
        const clerk = await granted({
          Object: 'contract',
          Actions: reading,
          ReadFields: ['ContractNumber', 'Status'],
        })
        const answer = await query('SELECT ContractNumber, Status FROM wh_Leasing_Contract', clerk)
        expect(answer.status, answer.text).to.equal(200)
        for (const sql of [
          'SELECT MonthlyRent_Amount FROM wh_Leasing_Contract',
          'SELECT Key FROM wh_Leasing_Contract WHERE MonthlyRent_Amount > 1',
          'SELECT Key FROM wh_Leasing_Contract ORDER BY MonthlyRent_Amount',
          'SELECT count(*) FROM wh_Leasing_Contract GROUP BY MonthlyRent_Amount',
          'SELECT * FROM wh_Leasing_Contract_history',
        ])
          expect((await query(sql, clerk)).status, sql).to.equal(403)
        const { bytes } = await download('wh_Leasing_Contract?format=jsonl', clerk)
        expect(new TextDecoder().decode(bytes)).to.not.match(/MonthlyRent|StartDate/)
      })

      it('joins that compare columns unseen are refused, however they are written, and only there', async () => {
        const clerk = await granted({ Object: 'contract', Actions: reading, ReadFields: ['Status'] })
        const guess = 'WITH g (MonthlyRent_Amount) AS (VALUES (900.1)) SELECT g.MonthlyRent_Amount FROM g'
        for (const join of [
          'NATURAL JOIN wh_Leasing_Contract',
          'natural/**/left join wh_Leasing_Contract',
          'JOIN wh_Leasing_Contract USING (MonthlyRent_Amount)',
          'JOIN wh_Leasing_Contract uSiNg(MonthlyRent_Amount)',
          'JOIN g AS h ON ?1NATURAL JOIN wh_Leasing_Contract',
          'JOIN g AS h ON 1--\nNATURAL JOIN wh_Leasing_Contract',
          "JOIN g AS h ON $a(')NATURAL JOIN wh_Leasing_Contract --'",
          'NATURAL JOIN wh_Finance_Payment',
        ]) {
          const answer = await query(`${guess} ${join}`, clerk)
          expect(answer.status, `${join}: ${answer.text}`).to.equal(400)
          expect(answer.faults[0]).to.match(/^Sql: (NATURAL|USING) cannot be used/)
        }
        const words =
          'SELECT count(*), \'natural\' AS "using" FROM wh_Leasing_Contract NATURAL JOIN wh_Leasing_Contract_history'
        expect((await query(words)).status).to.equal(200)
        const housing = "SELECT 'housing, unnatural' FROM wh_Leasing_Contract LIMIT 1"
        expect((await query(housing, clerk)).status).to.equal(200)
      })

      it('to read is not to export, and to export is not to see histories', async () => {
        const reader = await granted({ Object: 'contract', Actions: ['read'] })
        expect((await service.get('warehouse', reader)).status).to.equal(403)
        expect((await query('SELECT 1', reader)).status).to.equal(403)
        const exporter = await granted({ Object: 'contract', Actions: ['read', 'export'] })
        expect((await query('SELECT count(*) FROM wh_Leasing_Contract', exporter)).status).to.equal(200)
        expect((await query('SELECT count(*) FROM wh_Leasing_Contract_history', exporter)).status).to.equal(
          403,
        )
      })
    })
  })
}
