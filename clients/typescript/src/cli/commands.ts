/** All commands. */
import { oneOf, OPTIONS, type Commands } from './command.ts'
import { fileCommands } from './files.ts'
import { loginCommands } from './login.ts'
import { recordCommands } from './records.ts'
import { serviceCommands } from './service.ts'

const completion: Commands = {
  completion: {
    usage: 'bash|zsh',
    about: 'completes commands and options: eval "$(daybook completion bash)"',
    run: (_desk, [shell = 'bash']) => {
      oneOf(shell, ['bash', 'zsh'], 'the shell')
      const zsh = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''
      const options = Object.keys(OPTIONS).map((name) => `--${name}`)
      return `${zsh}_daybook() {
  local word=\${COMP_WORDS[COMP_CWORD]}
  case $word in
    -*) COMPREPLY=($(compgen -W '${options.join(' ')}' -- "$word")) ;;
    *) if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W '${Object.keys(commands).join(' ')}' -- "$word")); fi ;;
  esac
}
complete -o default -F _daybook daybook
`
    },
  },
}

export const commands: Commands = {
  ...loginCommands,
  ...recordCommands,
  ...fileCommands,
  ...serviceCommands,
  ...completion,
}
