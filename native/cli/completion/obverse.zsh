#compdef obverse
# Completes command lines of obverse in zsh. Made by `obverse completion zsh`.
_obverse() {
	local command=${words[2]} before=${words[CURRENT-1]} method= last= word options=
	local -a commands settings methods shells
	commands=(@COMMANDS@) settings=(@SETTINGS@) methods=(@METHODS@) shells=(@SHELLS@)
	case $before in
	--config|--conf|--report) _files; return ;;
	--datadir) _files -/; return ;;
	esac
	(( CURRENT == 2 )) && command=
	for word in "${(@)words[3,CURRENT-1]}"; do
		if [[ $last != --(config|conf|datadir) && -z $method && $word != -* && $word != *=* ]]; then
			method=$word
		fi
		last=$word
	done
	case $command in
@CASES@
	esac
	case $command in
	'') compadd -- $commands @OPTIONS@; compadd -S '' -- $settings ;;
	help) [[ -z $method ]] && compadd -- $commands $methods ;;
	completion) [[ -z $method ]] && compadd -- $shells ;;
	store) [[ -z $method ]] && compadd -- check backup restore $options || _files ;;
	token)
		if [[ -z $method ]]; then
			compadd -- @TOKEN@ ${=options}
			compadd -S '' -- $settings
		else
			case $method in
@TOKENCASES@
			esac
			[[ $method = airdrop && ${words[CURRENT]} != -* ]] && _files || compadd -- ${=options}
		fi
		;;
	call)
		if [[ -z $method ]]; then
			compadd -- ${=options} $methods
			compadd -S '' -- $settings
		elif [[ $method = help && $last = help ]]; then
			compadd -- $methods
		fi
		;;
	serve|validator|config) compadd -- ${=options}; compadd -S '' -- $settings ;;
	-*|*=*) compadd -- @OPTIONS@; compadd -S '' -- $settings ;;
	*) compadd -- ${=options} ;;
	esac
}
compdef _obverse obverse
