# Completes command lines of obverse in fish. Made by `obverse completion fish`.

# The words behind the command that are no options, no settings and no values of options.
function __obverse_words
    set -l typed (commandline -opc)
    set -l last ''
    for word in $typed[3..]
        if not contains -- $last --config --conf --datadir; and not string match -q -- '-*' $word; and not string match -q -- '*=*' $word
            echo $word
        end
        set last $word
    end
end

# Whether the command is one of these.
function __obverse_in
    set -l typed (commandline -opc)
    test (count $typed) -ge 2; and contains -- $typed[2] $argv
end

# Whether it is, and nothing but options and settings is behind it.
function __obverse_begins
    __obverse_in $argv; and test (count (__obverse_words)) -eq 0
end

# Whether no command is there, or only what starts the node.
function __obverse_starts
    set -l typed (commandline -opc)
    test (count $typed) -eq 1; or string match -qr -- '^-|=' $typed[2]
end

# Whether help is asked for a method.
function __obverse_asks_help
    __obverse_in call; and test "$(__obverse_words)" = help
end

# Whether the subcommand of token is one of these.
function __obverse_token
    set -l words (__obverse_words)
    __obverse_in token; and test (count $words) -ge 1; and contains -- $words[1] $argv
end

complete -c obverse -f
complete -c obverse -n 'test (count (commandline -opc)) -eq 1' -a '@COMMANDS@'
complete -c obverse -n '__obverse_starts; or __obverse_begins serve validator config call token' -a '@SETTINGS@'
complete -c obverse -n '__obverse_begins help' -a '@COMMANDS@ @METHODS@'
complete -c obverse -n '__obverse_begins completion' -a '@SHELLS@'
complete -c obverse -n '__obverse_begins store' -a 'check backup restore'
complete -c obverse -n '__obverse_in store' -F
complete -c obverse -n '__obverse_begins token' -a '@TOKEN@'
complete -c obverse -n '__obverse_token airdrop' -F
complete -c obverse -n '__obverse_begins call; or __obverse_asks_help' -a '@METHODS@'
@FISHFLAGS@
complete -c obverse -n 'not __obverse_in help completion' -l datadir -x -a '(__fish_complete_directories)' -d 'data folder'
complete -c obverse -n 'not __obverse_in help completion' -l config -r -F -d 'config file'
complete -c obverse -n 'not __obverse_in help completion' -l conf -r -F -d 'komodod conf file'
complete -c obverse -l help -d 'explain the command'
