package scope

import (
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"
)

// actionTexts are the texts of links that sign out or delete, in the spelling of Acts.
var actionTexts = sync.OnceValue(func() map[string]bool {
	texts := map[string]bool{}
	for _, language := range actionWords {
		for text := range strings.SplitSeq(language.texts, "|") {
			texts[turkishI.Replace(strings.ToLower(norm.NFKC.String(text)))] = true
		}
	}
	return texts
})

// actionWords are the texts by language.
var actionWords = []struct{ language, texts string }{
	{"English", "log out|logout|log off|logoff|sign out|signout|sign off|signoff|log me out|sign me out|end session" +
		"|end my session|log out of all devices|sign out everywhere|logout now|delete|delete this|delete item" +
		"|delete page|delete post|delete comment|delete file|delete user|delete account|delete my account|delete all" +
		"|delete selected|delete permanently|delete forever|remove|remove item|remove all|erase|erase all|destroy|purge" +
		"|close account|close my account|move to trash"},
	{"German", "abmelden|ausloggen|abmeldung|logout|jetzt abmelden|sitzung beenden|ausloggen und beenden|löschen|alle löschen" +
		"|alles löschen|endgültig löschen|konto löschen|mein konto löschen|eintrag löschen|seite löschen" +
		"|benutzer löschen|datei löschen|entfernen|aus dem warenkorb entfernen|loeschen"},
	{"French", "déconnexion|deconnexion|se déconnecter|se deconnecter|déconnecter|me déconnecter|déconnectez vous" +
		"|fermer la session|fermer ma session|quitter la session|supprimer|supprimer tout|tout supprimer" +
		"|supprimer le compte|supprimer mon compte|supprimer définitivement|effacer|tout effacer|retirer|enlever"},
	{"Spanish", "cerrar sesión|cerrar sesion|cierra sesión|cerrar la sesión|salir|desconectar|desconectarse|desconectarme" +
		"|finalizar sesión|terminar sesión|desconexión|eliminar|eliminar todo|eliminar cuenta|eliminar mi cuenta|borrar" +
		"|borrar todo|borrar cuenta|suprimir|quitar"},
	{"Portuguese", "sair|sair da conta|terminar sessão|terminar sessao|encerrar sessão|encerrar sessao|finalizar sessão" +
		"|fechar sessão|desconectar|deslogar|fazer logout|terminar a sessão|excluir|excluir conta|excluir tudo|apagar" +
		"|apagar tudo|apagar conta|eliminar|eliminar conta|remover|deletar"},
	{"Italian", "esci|disconnetti|disconnettersi|disconnettiti|disconnessione|scollegati|chiudi sessione|termina sessione" +
		"|termina la sessione|elimina|eliminare|elimina tutto|elimina account|cancella|cancellare|cancella tutto" +
		"|cancella account|rimuovi|rimuovere"},
	{"Dutch", "uitloggen|afmelden|log uit|meld af|meld je af|sessie beëindigen|sessie beeindigen|verwijderen|verwijder" +
		"|alles verwijderen|account verwijderen|mijn account verwijderen|wissen|alles wissen|definitief verwijderen"},
	{"Polish", "wyloguj|wyloguj się|wyloguj sie|wylogowanie|wyloguj mnie|zakończ sesję|zakoncz sesje|usuń|usun|usuń wszystko" +
		"|usuń konto|usunąć|skasuj|skasuj konto|kasuj|wykasuj"},
	{"Russian", "выйти|выход|выйти из системы|выйти из аккаунта|выйти из учетной записи|завершить сеанс|завершить сессию" +
		"|разлогиниться|удалить|удалить все|удалить всё|удалить аккаунт|удалить учетную запись|удаление|стереть"},
	{"Turkish", "çıkış|çıkış yap|oturumu kapat|oturumu sonlandır|güvenli çıkış|hesaptan çık|sistemden çık|çık|sil|hepsini sil" +
		"|tümünü sil|hesabı sil|hesabımı sil|kalıcı olarak sil|kaldır"},
	{"Chinese", "退出|退出登录|退出登陆|退出系统|安全退出|登出|注销|注销登录|登出系統|登出帳號|退出登入|退出帐号|退出账号|删除|刪除|全部删除|删除账号|刪除帳號|删除帐户|移除|清除|永久删除|注销账号"},
	{"Japanese", "ログアウト|ログアウトする|ログオフ|ログオフする|サインアウト|サインアウトする|サインオフ|削除|削除する|全て削除|すべて削除|アカウント削除|アカウントを削除|アカウントを削除する|消去|退会|退会する"},
	{"Korean", "로그아웃|로그 아웃|로그아웃하기|로그오프|사인아웃|삭제|삭제하기|전체 삭제|모두 삭제|계정 삭제|제거|회원 탈퇴|회원탈퇴"},
	{"Arabic", "تسجيل الخروج|تسجيل خروج|سجل الخروج|خروج|الخروج|إنهاء الجلسة|انهاء الجلسة|حذف|حذف الكل|حذف الحساب|احذف|إزالة" +
		"|ازالة|مسح|مسح الكل"},
}
