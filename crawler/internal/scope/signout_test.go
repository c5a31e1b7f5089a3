package scope

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Addresses that an authenticated crawl leaves alone, and those that it requests.
const (
	unsafeAddresses = `
/logout /logout/ /logout.php /logout.html /Logout.aspx /LOGOUT /log-out /log_out /log%20out /log+out /logoff /log-off /logoff.do /signout
/sign-out /sign_out /signoff /users/sign_out /users/sign-out /Account/LogOff /Account/LogOff.aspx /accounts/logout/ /auth/logout /admin/logout/
/user/logout /c/portal/logout /j_spring_security_logout/logout /saml/logout /sso/logout.jsp /dologout /do_logout /userLogout /member-logout
/admin_logout /end-session /end_session /close-session /destroy-session /session/destroy /sessions/delete /oauth/endsession /connect/endsession
/api/logout?x=1 /logout;jsessionid=1/logout /de/abmelden /ausloggen /fr/deconnexion /d%C3%A9connexion /es/cerrar-sesion /cerrar_sesion
/cerrar-sesi%C3%B3n /desconectar /encerrar-sessao /disconnetti /nl/uitloggen /afmelden /wyloguj /oturumu-kapat /deslogar /logmeout
/wiki/Special:UserLogout /wiki/Special:Userlogout /index.php?title=Special:UserLogout /items/7/delete /items/delete/7 /items/7/destroy
/posts/7/remove /remove/7 /erase /purge /delete-account /delete_account /deleteUser /delete-user /delete-confirm /confirm-delete
/delete_confirmation /post/delete.php?id=7 /delete.jsp /close-account /remove-item?id=3 /mass-delete /bulk_delete /l%C3%B6schen /loeschen/7
/supprimer/7 /eliminar/7 /borrar /excluir/7 /apagar/7 /verwijderen/7 /usu%C5%84 /skasuj
/?logout /?logout=1 /?LOGOUT=true /?a=1&logout /?signout=1 /?log-out=1 /?sign_out /index.php?delete=7 /?remove=3 /?deleteUser=1
/?do=logout /?do=delete&id=7 /?action=logout /?action=logout&_wpnonce=1 /wp-login.php?action=logout&_wpnonce=1 /?act=logoff /?op=logout
/?cmd=logout /?task=user.logout /?task=logout /?mode=logout /?mode=delete /?_method=delete /?operation=delete /?event=logout
/?route=account/logout /?route=account%2Flogout /index.php?r=site/logout /?r=site%2Flogout /?q=user/logout /?q=user%2Flogout /?page=logout
/?page=logout.php /?p=logout /?view=logout /?controller=logout /?mod=logout /?module=user&func=logout /?m=logout /?ac=logout /?step=delete
/member.php?mod=logging&action=logout&formhash=1 /?action=del&id=1 /?op=del /?do=rm&id=1 /?todo=remove /?func=delete /?action=purge
/?Action=Delete /?a=delete /?ACTION=LogOut
/x?_wpnonce=1 /x?a=b&_wpnonce=c /doku.php?id=start&do=edit&sectok=1 /x?sectok= /x?csrf_token=1 /x?CSRF_Token=1 /x?authenticity_token=a%3D
/x?a=1;authenticity_token=2 /user/logout#top /a/b/c/logout/d
/l?do=log%6fut /l?do=%6C%6f%67%4Fut /l?d%6f=logout /%4Cogout /log%6Fut /%6c%6f%67%6f%75%74 /l%256fgout /l?do=log%256fut /l?do=log%25256fut
/a%2Flogout /a%2flog%6fut/b /logout;jsessionid=1 /logout%3Bjsessionid=1 /%64elete/7 /l?%61ction=%64elete /l?a%63tion=d%65l /log%2Dout /log%5Fout
/%73ign-out /l?ac%74ion=user%2Flogout /x?_wp%6Eonce=1 /L%C3%96SCHEN /l%25C3%25B6schen /index.php?title=Special%3AUserLogout
/app;action=logout /app;do=log%6fut /app;logout=1 /app%3Bdo=logout /logout%3Fa=1 /logout%26a /logout,1 /logout%00 /logout%0A /%u006cog%u006Fut /l?do=%U006cogout
/?delete[7]=1 /?delete%5B7%5D=1 /?action[]=logout /?action%5B0%5D=delete /?do[logout]=1 /?tx_felogin_login[action]=logout /?_task=logout /?dispatch=auth.logout
/?logintype=logout /?loginOp=logout /?mylogout= /?wa=wsignout1.0 /?page=logout.php%3Fa=1 /l%F6schen /?action=l%F6schen /d%E9connexion /?action=usu%F1
/%EF%BD%8C%EF%BD%8F%EF%BD%87%EF%BD%8F%EF%BD%95%EF%BD%94 /выйти /удалить/7 /%D0%A3%D0%94%D0%90%D0%9B%D0%98%D0%A2%D0%AC /删除/7 /退出 /ログアウト /로그아웃 /?action=%E5%88%A0%E9%99%A4 /?削除=7 /çıkış`
	safeAddresses = `
/ /logout-guide.html /docs/how-to-logout /docs/logout-and-login /docs/how-to-delete.html /docs/delete-a-file.html /docs/deleting-files
/docs/delete-files /deleted /deleted-items /undelete /undo-delete-guide /login /login.php /signin /sign-in /signup /signups /register
/logouts /logoutput /logo /logo.png /logos/out /log/out /catalog-out /blog/out /backlog/off /blogout /catalogoff /dialog-off
/sign/out /design-out /designoff /assign-off /remote /removed /removals /removal-policy /guides/removing-users /removable /remover
/purged /purge-cache-guide /eraser /erasers /erased /destroyer /destroyers /delete-account-policy /delete-or-keep /why-delete-facebook
/end /sessions /session /session/new /sessions/7 /sessions/list /account /account/close-up /users /users/7 /users/7/edit /salir-a-correr
/borrador /eliminatorias /excluidos /apagado /supprime /usunal /uitlog /afmeldingen /abmeldeformular /ausloggen-hilfe
/?q=logout /?q=delete /?q=how+to+delete /?search=logout /?s=logout /?query=delete+account /?text=remove /?title=Logout /?name=delete
/?tab=deleted /?action=view /?action=view&tab=deleted /?action=edit /?action=undelete /?do=login /?op=list /?mode=dark /?page=2
/?page=logout-guide /?p=7 /?view=list /?r=site/login /?route=product/category /?q=user/login /?q=node/7 /?task=user.login /?option=com_users
/?logged=out /?login=1 /?signup=1 /?deleted=0 /?is_deleted=0 /?show_deleted=1 /?removed=1 /?sort=delete_date /?order=-removed /?next=/logout
/?next=%2Flogout /?return_to=/logout /?redirect=logout /?from=logout /?utm_campaign=delete /?token=1 /?nonce=1 /?csrf=1 /?_token=1 /?wpnonce=1
/?id=delete /?file=logout.php /?lang=de /#logout /guide#delete /page?x#logout /?del=0 /del /rm /rm/7 /docs/rm /docs/del /model /models /delta
/~remove-me /logout~backup /.logout-note /notes/logout-notes.txt /a.logout /logoutx /xlogout /sign__outer /d%C3%A9connecte%C3%A9s
/wiki/Logout_(command) /wiki/Help:Logging_out /wiki/Delete_key /wiki/Special:RecentChanges /Special:Upload /index.php?title=Special:Search
/tag/signed-out /category/sign-outs /product/sign-out-sheet /product/delete-key-cap /products/eraser /shop/purge-valve /shop/remove-rust
/2024/delete-your-account /blog/logout-everywhere-today /c/destroy-all-humans /games/destroy-all-humans /films/search-and-destroy-1979
/api/v1/deletes /api/v1/removals /graphs/erase-rate /u/deleteduser /u/user-removed /logoutput.log /logs/out.txt /loggings /action /actions/7
/log%6futs /l?do=log%69n /l?q=log%6fut /%6cogo /l?x=1%26do%3Dlogout /100%25 /%zzlogin /l?do=%
/app;jsessionid=logouts /app;q=logout /docs/csrf_token /docs/_wpnonce /?filter[deleted]=1 /?f[name]=logout /?q[]=delete /user=login /?do=%u00 /%u006 /%uzzzzlogout
/?q=l%F6schen /%E9tat /?action=l%F6schwasser /выходные /удалённые /删除线 /退出策略 /ログアウト方法 /?q=%E5%88%A0%E9%99%A4`
)

func TestSignsOut(t *testing.T) {
	count := 0
	for list, want := range map[string]bool{unsafeAddresses: true, safeAddresses: false} {
		for address := range strings.FieldsSeq(list) {
			count++
			if got := signsOut(HrefOf(parseHref(t, "https://a.test"+address))); got != want {
				t.Errorf("%s: %v, want %v", address, got, want)
			}
		}
	}
	if signsOut(HrefOf(parseHref(t, "https://logout.test/"))) {
		t.Error("the host counts")
	}
	t.Logf("%d addresses", count)
}

func TestActs(t *testing.T) {
	for _, language := range actionWords {
		for text := range strings.SplitSeq(language.texts, "|") {
			for _, spelling := range []string{text, strings.ToUpper(text), "  " + text + " ", "» " + text + "!", "✕" + text, text + " (alice)", text + " [ bob ]"} {
				if !Acts([]byte(spelling)) {
					t.Errorf("%s: %q does not act", language.language, spelling)
				}
			}
		}
	}
	for _, text := range []string{"Log-out", "LOG OUT", "Log\u00a0out", "Log\u00adout", "Sign out →", "Logout (admin@example.com)", "Delete…", "🗑 Delete", "Ｌｏｇｏｕｔ", "ÇIKIŞ YAP", "DÉCONNEXION", "De\u0301connexion", "로그아웃"} {
		if !Acts([]byte(text)) {
			t.Errorf("%q does not act", text)
		}
	}
	for _, text := range []string{"", " ", "How to log out", "Log in", "Login", "Sign in", "Sign up", "Logout guide", "Deleting files", "Deleted", "Delete files with rm",
		"About logging out", "Removal policy", "Remove rust from iron", "Undelete", "(logout)x", "Output", "Log", "Out", "Sign", "Anmelden", "Abmeldeformular", "Löschfahrzeug", "Wie kann ich mich abmelden?",
		"Connexion", "Supprimer un fichier sous Linux", "Iniciar sesión", "Salir a correr", "Entrar", "Accedi", "Inloggen", "Zaloguj się", "Войти", "Выход на рынок", "Giriş", "Silgi", "登录", "退出策略",
		"ログイン", "로그인", "تسجيل الدخول", "Eraser", "Destroyers", "Purgatory", strings.Repeat("delete ", 40), "123", "..."} {
		if Acts([]byte(text)) {
			t.Errorf("%q acts", text)
		}
	}
	if len(actionWords) != 14 {
		t.Errorf("%d languages", len(actionWords))
	}
}

func parseHref(t testing.TB, s string) urinorm.URL {
	t.Helper()
	u, _, err := urinorm.ParseWeb(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
