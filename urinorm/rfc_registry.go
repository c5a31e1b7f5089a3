package urinorm

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// schemeStatus is the registration of a URI scheme (RFC 7595 section 4).
type schemeStatus uint8

const (
	registeredNowhere     schemeStatus = iota
	registeredUse                      // not registered, but in wide use
	registeredHistoric                 // IANA: historical
	registeredProvisional              // IANA: provisional
	registeredPermanent                // IANA: permanent
)

// IsRegistered reports whether a scheme, whose case is ignored, is in the IANA registry of URI
// schemes, or is not but in wide use.
func IsRegistered(scheme string) bool { return statusOf(scheme) != registeredNowhere }

// statusOf returns the registration of a scheme, whose case is ignored.
func statusOf(scheme string) schemeStatus { return rfcRegistry[rfcLowerASCII(scheme)] }

// The IANA registry of URI schemes
// (https://www.iana.org/assignments/uri-schemes/uri-schemes.xhtml), and the schemes
// that are in use without registration. Names are in lower case.
const (
	permanentSchemes = `
aaa aaas about acap acct cap cid coap coap+tcp coap+ws coaps coaps+tcp coaps+ws crid data dav dict
dns doi dtn example file ftp geo go gopher h323 http https iax icap im imap info ipn ipp ipps iris
iris.beep iris.lwz iris.xpc iris.xpcs jabber ldap leaptofrogans mailto mid msrp msrps mt mtqp
mupdate news nfs ni nih nntp opaquelocktoken pkcs11 pop pres reload rtsp rtsps rtspu service
session shttp sieve sip sips sms snmp soap.beep soap.beeps stun stuns tag tel telnet tftp
thismessage tip tn3270 turn turns tv urn vemmi vnc ws wss xcon xcon-userid xmlrpc.beep
xmlrpc.beeps xmpp z39.50r z39.50s`

	provisionalSchemes = `
acd acr adiumxtra adt afp afs aim amss android appdata apt ar ari ark at attachment aw barion
beshare bitcoin bitcoincash bl blob bluetooth bolo brid browserext cabal calculator callto cast
casts chrome chrome-extension com-eventbrite-attendee content content-type cstr cvs dab dat dhttp
diaspora did dis dlna-playcontainer dlna-playsingle dntp dpp drm dtmi dvb dvx dweb ed2k eid elsi
embedded ens ethereum facetime feed feedready fido finger first-run-pen-experience fish fm
fuchsia-pkg gg git gitoid gizmoproject graph gtalk ham hcap hcp hs20 hxxp hxxps hydrazone hyper
icon ilstring iotdisco ipfs ipns irc irc6 ircs isostore itms jar jms keyparc lastfm lbry ldaps lid
lorawan lpa lvlt machineprovisioningprogressreporter magnet maps market matrix message
microsoft.windows.camera microsoft.windows.camera.multipicker microsoft.windows.camera.picker mms
mongodb moz ms-access ms-appinstaller ms-browser-extension ms-calculator ms-drive-to ms-enrollment
ms-excel ms-eyecontrolspeech ms-gamebarservices ms-gamingoverlay ms-getoffice ms-help ms-infopath
ms-inputapp ms-launchremotedesktop ms-lockscreencomponent-config ms-media-stream-id ms-meetnow
ms-mixedrealitycapture ms-mobileplans ms-newsandinterests ms-officeapp ms-people ms-personacard
ms-powerpoint ms-project ms-publisher ms-recall ms-remotedesktop ms-remotedesktop-launch
ms-restoretabcompanion ms-screenclip ms-screensketch ms-search ms-search-repair
ms-secondary-screen-controller ms-secondary-screen-setup ms-settings ms-settings-airplanemode
ms-settings-bluetooth ms-settings-camera ms-settings-cellular ms-settings-cloudstorage
ms-settings-connectabledevices ms-settings-displays-topology ms-settings-emailandaccounts
ms-settings-language ms-settings-location ms-settings-lock ms-settings-nfctransactions
ms-settings-notifications ms-settings-power ms-settings-privacy ms-settings-proximity
ms-settings-screenrotation ms-settings-wifi ms-settings-workplace ms-spd ms-stickers ms-sttoverlay
ms-transit-to ms-useractivityset ms-uup ms-virtualtouchpad ms-visio ms-walk-to ms-whiteboard
ms-whiteboard-cmd ms-widgetboard ms-widgets ms-word msnim mss mtrust mumble mvn mvrp mvrps notes
num ocf oid onenote onenote-cmd openid openpgp4fpr otpauth palm paparazzi payto platform proxy
psyc pttp pwid qb query quic-transport redis rediss res resource rmi rsync rtmfp rtmp sarif
secondlife secret-token sftp sgn shc shelter simpleledger simplex skype smb smp smtp soldat spiffe
spotify ssb ssh starknet steam submit svn swh swid swidpath taler teamspeak teapot teapots
teliaeid things tool udp unreal ut2004 uuid-in-package v-event ventrilo ves view-source vscode
vscode-insiders vsls w3 wasm wasm-js wcr web+ap web3 webcal wifi wtai wyciwyg xfire xftp xrcp xri
ymsgr`

	historicalSchemes = `
bb drop fax filesystem grd mailserver modem p1 pack payment prospero snews thzp upt videotex wais
wpid z39.50`

	usedSchemes = `
acestream aliim alipay alipays aliwangwang android-app bitbucket bitwarden brave chromium
citrix-receiver clsid cursor cydia discord docker dropbox edge element evernote fb fb-messenger figma
find findmy firefox ftps gemini git+file git+http git+https git+ssh github-mac github-windows
googlechrome googlechromes googlegmail googlemaps gs help hg+http hg+https hg+ssh icloud imessage
instagram intent ios-app itms-apps itms-appss itms-beta itms-books itms-bookss itms-itunesu
itms-itunesus itms-services itmss itunes javascript jdbc jetbrains kakaolink kakaotalk lightning
line linkedin livescript logseq lync mapi mattermost mhtml microsoft-edge microsoft-edge-holographic
mk mmsh mmst mongodb+srv moz-extension moz-icon mqq mqqapi mqqwpa mqtt mqtts ms-appdata ms-appx
ms-appx-web ms-its ms-resource ms-store ms-teams ms-windows-search ms-windows-store msteams music
musics mysql nostr notion nzb obs obsidian odt opera org-protocol outlook pcast plex podcast
podcasts postgres postgresql prefs putty rdp reddit resource-file roblox roblox-player rtmpe rtmps
rtmpt rtp s3 safari-extension safari-web-extension sgnl shortcuts signal skypeconfirm slack smsto
snapchat sourcetree ss steamlink stremio svn+http svn+https svn+ssh teams telegram tencent textmate
tg threema ts3server twitter txmt unityhub vbscript viber vivaldi vlc vless vmess vmrc vnd.youtube
vrchat waze webcals webkit-fake-url wechat weixin whatsapp x-apple.systempreferences
x-apple-reminderkit x-callback-url x-devonthink-item x-github-client x-man-page xcode zed zoommtg
zoomus zotero zune`
)

// rfcRegistry maps each known scheme, in lower case, to its registration.
var rfcRegistry = rfcReadRegistry()

func rfcReadRegistry() map[string]schemeStatus {
	registry := make(map[string]schemeStatus, 800)
	for _, software := range softwareSchemes {
		registry[software.name] = registeredUse
	}
	for _, list := range []struct {
		status schemeStatus
		names  string
	}{
		{registeredUse, usedSchemes},
		{registeredHistoric, historicalSchemes},
		{registeredProvisional, provisionalSchemes},
		{registeredPermanent, permanentSchemes},
	} {
		for name := range strings.FieldsSeq(list.names) {
			registry[name] = list.status
		}
	}
	return registry
}

// rfcPrivateScheme reports whether a scheme, in lower case, has the form of a
// private one: the reversed domain of its owner (RFC 7595 3.8), or a prefix after
// which names are free to choose (the HTML Standard's "web+", the "ext+" of browser
// extensions).
func rfcPrivateScheme(scheme string) bool {
	if name, ok := strings.CutPrefix(scheme, "web+"); ok {
		return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == ""
	}
	if name, ok := strings.CutPrefix(scheme, "ext+"); ok {
		return name != ""
	}
	top, owner, _ := strings.Cut(scheme, ".")
	return owner != "" && slices.Contains(ownerDomains, top)
}

// ownerDomains are the top-level domains with which schemes of companies and
// projects begin. The list is short on purpose: "www.example.com:8080" must not be
// taken for a scheme.
var ownerDomains = []string{"com", "org", "net", "io", "app", "dev"}

// rfcRegisteredNames holds the known schemes in alphabetical order, so that
// NearestScheme is deterministic.
var rfcRegisteredNames = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(rfcRegistry)) })
