/** The words of what an agent asks leave for, in Japanese. */
import type { asking as english } from './en-words.ts'

export const asking: typeof english = {
  heads: {
    run: 'このコマンドを実行しますか？',
    edit: '{} を編集しますか？',
    create: '{} を作成しますか？',
    delete: '{} を削除しますか？',
    move: '{} を移動しますか？',
    read: '{} を読み取りますか？',
    search: '{} を検索しますか？',
    fetch: '{} を取得しますか？',
    host: '{} に接続しますか？',
    folder: '作業場所の外を読み取りますか？',
    plan: 'この計画を実行しますか？',
    other: '許可しますか: {}',
  },
  lines: {
    run: '実行: {}',
    edit: '編集: {}',
    create: '作成: {}',
    delete: '削除: {}',
    move: '移動: {}',
    read: '読み取り: {}',
    search: '検索: {}',
    fetch: '取得: {}',
    host: '接続: {}',
    folder: '読み取り: {}',
    plan: '計画の実行',
    other: '{}',
  },
  more: (count) => `ほか ${count} ファイル`,
  quoted: (text) => `「${text}」`,
  by: (subAgent) => `サブエージェント「${subAgent}」`,
  bySome: 'サブエージェント',
  cautions: {
    secrets: '機密情報のファイルと思われる名前です。',
    deletes: '削除したものは元に戻せません。',
  },
  outcomes: { allowed: '承認', denied: '却下', expired: '期限切れ', withdrawn: '取り下げ' },
  expired: '時間内に回答がありませんでした',
  withdrawn: 'もう必要ありません',
}
