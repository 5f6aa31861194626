# Completes command lines of obverse in bash. Made by `obverse completion bash`.
# bash itself splits words at : and =, which names of methods and settings have, so that
# the line is taken apart here.
_obverse() {
	local line=${COMP_LINE:0:COMP_POINT} cur= command= before= method= list= word options=
	local -a typed
	read -ra typed <<<"$line"
	if [[ $line != *[[:space:]] ]]; then
		cur=${typed[${#typed[@]} - 1]}
		unset "typed[${#typed[@]}-1]"
	fi
	before=${typed[${#typed[@]} - 1]}
	command=${typed[1]-}
	COMPREPLY=()
	case $before in
	--config | --conf | --report) local IFS=$'\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--datadir) local IFS=$'\n'; compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$cur")); return ;;
	esac
	before=
	for word in "${typed[@]:2}"; do
		case $before in --config | --conf | --datadir) ;; *)
			[[ -z $method && $word != -* && $word != *=* ]] && method=$word ;;
		esac
		before=$word
	done
	case $command in
@CASES@
	esac
	case $command in
	'') list="@COMMANDS@ @OPTIONS@ @SETTINGS@" ;;
	help) [[ -z $method ]] && list="@COMMANDS@ @METHODS@" ;;
	completion) [[ -z $method ]] && list="@SHELLS@" ;;
	store) [[ -z $method ]] && list="check backup restore @OPTIONS@" || { compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")); return; } ;;
	token)
		if [[ -z $method ]]; then
			list="@TOKEN@ $options @SETTINGS@"
		else
			case $method in
@TOKENCASES@
			esac
			list=$options
			[[ $method = airdrop && $cur != -* ]] && { compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur")); return; }
		fi
		;;
	call)
		if [[ -z $method ]]; then
			list="$options @SETTINGS@ @METHODS@"
		elif [[ $method = help && $before = help ]]; then
			list="@METHODS@"
		fi
		;;
	serve | validator | config) list="$options @SETTINGS@" ;;
	-* | *=*) list="@OPTIONS@ @SETTINGS@" ;;
	*) list=$options ;;
	esac
	COMPREPLY=($(compgen -W "$list" -- "$cur"))
	[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} = *= ]] && compopt -o nospace 2>/dev/null
	local split=
	[[ $COMP_WORDBREAKS = *:* && $cur = *:* ]] && split=${cur%"${cur##*:}"}
	[[ $COMP_WORDBREAKS = *=* && $cur = *=* ]] && split=${cur%"${cur##*=}"}
	local at
	for at in "${!COMPREPLY[@]}"; do
		COMPREPLY[at]=${COMPREPLY[at]#"$split"}
	done
}
complete -F _obverse obverse
