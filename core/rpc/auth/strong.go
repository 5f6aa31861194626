package auth

const (
	strongLength  = 32 // characters: 16 bytes in hexadecimal
	strongLetters = 8  // different ones among them; hexadecimal has 16
)

// Strong reports whether a password is as long and varied as generated ones are. Such
// a password cannot be found by guessing.
func Strong(password string) bool {
	letters := map[rune]bool{}
	length := 0
	for _, r := range password {
		letters[r] = true
		length++
	}
	return length >= strongLength && len(letters) >= strongLetters
}
