#compdef obverse
# Completes command lines of obverse in zsh. Made by `obverse completion zsh`.
_obverse() {
	local command=${words[2]} before=${words[CURRENT-1]} method= last= word
	local -a commands options calloptions settings methods shells
	commands=(@COMMANDS@) options=(@OPTIONS@) calloptions=(@CALLOPTIONS@)
	settings=(@SETTINGS@) methods=(@METHODS@) shells=(@SHELLS@)
	case $before in
	--config|--conf) _files; return ;;
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
	'') compadd -- $commands $options; compadd -S '' -- $settings ;;
	help) [[ -z $method ]] && compadd -- $commands $methods ;;
	completion) [[ -z $method ]] && compadd -- $shells ;;
	call)
		if [[ -z $method ]]; then
			compadd -- $calloptions $methods
			compadd -S '' -- $settings
		elif [[ $method = help && $last = help ]]; then
			compadd -- $methods
		fi
		;;
	init|version) compadd -- $options ;;
	*) compadd -- $options; compadd -S '' -- $settings ;;
	esac
}
compdef _obverse obverse
