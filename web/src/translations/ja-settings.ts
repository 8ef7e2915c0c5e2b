/** The settings of a project (NA10) in Japanese. */
import type { SettingsWords } from './en-settings.ts'

export const settings: SettingsWords = {
  groups: {
    chat: 'チャット',
    agent: 'エージェントとプロセス',
    work: '作業と継続',
    permission: '許可',
  },
  units: {
    seconds: '秒',
    minutes: '分',
    hours: '時間',
    days: '日',
    chars: '文字',
    tokens: 'トークン',
    times: '回',
  },
  range: (min, max) => `${min}〜${max}`,
  wholeRange: (min, max) => `${min}〜${max} の整数`,
  fallback: (value) => `既定値：${value}`,
  advanced: '詳細設定',
  advancedText: '時間と上限',
  notBelow: (name, value) => `「${name}」（${value}）以上にしてください`,
  labelForm: '英小文字、数字、「.」「_」「-」が使えます',
  anyMachine: 'どのマシンでも',
  none: 'なし',
  choices: {
    ask: '毎回確認する',
    allow_reads: '読み取りは許可する',
    allow_all: 'すべて許可する',
    worktree: '専用のワークツリー',
    checkout: 'プロジェクトのフォルダー',
    yes: 'はい',
    no: 'いいえ',
  },
  keys: {
    'chat.wait_interval_seconds': {
      name: 'メッセージ確認の間隔',
      about: '手が空いたエージェントが次に問い合わせるまでの時間。',
    },
    'chat.soft_timeout_minutes': {
      name: '終了を促すまでの無応答時間',
      about: '最後の返答から数えます。未読メッセージがある間は終了しません。',
    },
    'chat.hard_timeout_minutes': {
      name: '強制停止までの無応答時間',
      about: '呼び出しも動きもないプロセスを停止します。終了を促すまでの時間より短くはできません。',
    },
    'chat.workplace': {
      name: '新しい会話の作業場所',
      about:
        'プロジェクトのフォルダーでは一度に 1 つの会話だけが作業します。専用のワークツリーなら互いに待ちません。',
    },
    'chat.summarize_after_chars': {
      name: '会話を要約する長さ',
      about: 'これより長い会話は、前半を要約して引き継ぎます。',
    },
    'agent_session.ttl_minutes': {
      name: 'エージェントの認証の有効時間',
      about: '最後の呼び出しから数えます。',
    },
    'process_exit.grace_seconds': {
      name: 'プロセス終了後の猶予',
      about: 'この間に呼び出しがあれば、エージェントは生きているとみなします。',
    },
    'agent.start_timeout_seconds': {
      name: '起動の制限時間',
      about: 'この時間内に準備できなければ失敗とします。',
    },
    'user_session.detached_hours': {
      name: '誰も見ていないコンソールを残す時間',
      about: '見ていなくてもエージェントは作業を続け、この時間が過ぎると終了します。',
    },
    'checkpoint.interval_minutes': {
      name: 'チェックポイントの間隔',
      about: 'マシンが停止したときに失われうる作業の上限です。',
    },
    'resume.budget_tokens': {
      name: '再開時に渡す文脈の量',
      about: 'これまでの作業の説明は、この量に収まるように切り詰めます。',
    },
    'permission.deadline_minutes': {
      name: '許可の回答期限',
      about: '期限までに回答がなければ拒否として扱います。',
    },
    'turn.max_minutes': {
      name: '1 ターンの最長時間',
      about: 'この時間内に返答がない指示は打ち切ります。',
    },
    'files.keep_days': {
      name: 'ターンのファイルを保存する日数',
      about:
        'この日数の間、会話をターンまで巻き戻したり、ターンから分岐したりできます。0 なら会話がある限り保存します。',
    },
    'worktree.remove_after_days': {
      name: 'ワークツリーを削除するまで',
      about:
        '最後に使ってからの日数です。失われるものがないときだけ削除します。0 なら削除しません。',
    },
    'permission.policy': {
      name: 'エージェントが許可を求めたとき',
      about: '人に確認せずに許可する範囲です。',
    },
    'restart.max': {
      name: '再起動の上限',
      about: '下の期間内の回数です。',
    },
    'restart.window_seconds': {
      name: '再起動を数える期間',
      about: 'これより前の再起動は数えません。',
    },
    'land.check': {
      name: '取り込み前のチェック',
      about:
        'ワークツリーで成功する必要があるコマンド（例：npm test）。エージェントと同じ隔離環境で実行します。',
    },
    'land.protected': {
      name: '保護するブランチ',
      about: 'コンマ区切りの名前。プルリクエストでのみ取り込めます。',
    },
    'land.ssh': {
      name: 'マシンの ssh でプッシュ',
      about:
        'オーナー以外が取り込むときも使います。Holdfast を実行しているユーザーとして接続します。',
    },
    'land.co_author': {
      name: 'エージェントを共同作者として記載',
      about: '取り込むコミットに記載します。',
    },
    'agent.runs_on': {
      name: 'エージェントを動かすマシン',
      about:
        'コーディネーターのラベル。そのラベルがあるマシンでだけ起動します。エージェントごとに別のラベルも指定できます。',
    },
  },
}
