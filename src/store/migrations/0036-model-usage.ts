/** GW5: what requests through a gateway have used, by launch, turn and model. `turn_id` is empty outside a turn. */
import type { Migration } from './migration.ts'

export const modelUsage: Migration = {
  version: 36,
  name: 'model-usage',
  statements: ({ text, clustered }) => [
    `create table model_usage (
      launch_id ${text} not null,
      turn_id ${text} not null,
      model ${text} not null,
      project_id ${text} not null,
      agent_id ${text} not null,
      requests bigint not null,
      finished bigint not null,
      input_tokens bigint not null,
      output_tokens bigint not null,
      cached_tokens bigint not null,
      updated_at ${text} not null,
      primary key (launch_id, turn_id, model)
    ) ${clustered}`,
    "create index model_usage_of_turn on model_usage (turn_id) where turn_id <> ''",
    'create index model_usage_of_project on model_usage (project_id, agent_id, model)',
  ],
}
