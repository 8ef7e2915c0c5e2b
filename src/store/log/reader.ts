/** Reads through an engine. */
import type { Engine } from '../engine.ts'
import { type Order, rowStatement, type Table } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { bind, compile, type QueryBuilder, type Statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export class EngineReader implements Reader {
  protected engine: Engine

  constructor(engine: Engine) {
    this.engine = engine
  }

  async all<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]> {
    const found = this.engine.execute(bind(this.engine.dialect, statement, params))
    // An engine in this thread returns rows, not a promise: awaiting them would cost as much as a
    // small read.
    return (found instanceof Promise ? await found : found) as Row[]
  }

  async first<Params, Row>(
    statement: Statement<Params, Row>,
    params: Params,
  ): Promise<Row | undefined> {
    const found = this.engine.execute(bind(this.engine.dialect, statement, params))
    return (found instanceof Promise ? await found : found)[0] as Row | undefined
  }

  row<Name extends Table>(
    table: Name,
    values: Partial<Tables[Name]>,
  ): Promise<Tables[Name] | undefined> {
    return this.first(rowStatement.find(table, values), values) as Promise<Tables[Name] | undefined>
  }

  rows<Name extends Table>(
    table: Name,
    values: Partial<Tables[Name]>,
    ...order: Order<Name>[]
  ): Promise<Tables[Name][]> {
    return this.all(rowStatement.find(table, values, order), values) as Promise<Tables[Name][]>
  }

  async query<Row>(build: QueryBuilder<Row>): Promise<Row[]> {
    return (await this.engine.execute(compile(this.engine.dialect, build))) as Row[]
  }
}
